#version 460
#include "stage.glsl"

#pragma reads wind
#pragma writes air.u_star air.v_star air.w_star

// Before the first step: the wind of the boundary everywhere. wall_boundaries then closes the faces at the
// ground, and the projection that follows bends the wind round the hills.
void stage(ivec3 cell) {
    vec3 start = wind(0u);
    set_air_u_star(cell, start.x);
    set_air_v_star(cell, start.y);
    set_air_w_star(cell, start.z);
}

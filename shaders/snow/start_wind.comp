#version 460
#include "stage.glsl"
#include "snow/faces.glsl"
#include "snow/boundary.glsl"

#pragma reads air.faces wind boundary_faces
#pragma writes air.u_star air.v_star air.w_star

// Before the first step: the prescribed wind at open inner faces, and that of the boundary at all others. The projection
// that follows bends the wind round the hills.
void stage(ivec3 cell) {
    uint faces = air_faces(cell);
    vec3 prescribed = wind(0u);
    vec3 start = boundary_wind(faces, prescribed, boundary_faces(0u));
    set_air_u_star(cell, (faces & OPEN_WEST) != 0u ? prescribed.x : start.x);
    set_air_v_star(cell, (faces & OPEN_SOUTH) != 0u ? prescribed.y : start.y);
    set_air_w_star(cell, (faces & OPEN_BELOW) != 0u ? prescribed.z : start.z);
}

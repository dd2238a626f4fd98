#version 460
#include "stage.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces grid.u grid.v grid.w
#pragma writes grid.speed
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The speed of the wind in the middle of each cell, m/s, for pictures; not a number below the surface.
void stage(ivec3 cell) {
    vec3 wind = 0.5 * vec3(grid_u(cell) + grid_u(cell + ivec3(1, 0, 0)), grid_v(cell) + grid_v(cell + ivec3(0, 1, 0)),
                           grid_w(cell) + grid_w(cell + ivec3(0, 0, 1)));
    set_grid_speed(cell, is_fluid(grid_faces(cell)) ? length(wind) : uintBitsToFloat(0x7fc00000u));
}

#version 460
#include "stage.glsl"
#include "pressure/faces.glsl"
#include "drift/wind.glsl"

#pragma reads grid.faces grid.u grid.v grid.w
#pragma writes grid.speed
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The speed of the wind in the middle of each cell, m/s, for pictures; not a number below the surface.
void stage(ivec3 cell) {
    set_grid_speed(cell, is_fluid(grid_faces(cell)) ? length(wind(cell)) : uintBitsToFloat(0x7fc00000u));
}

#version 460
#include "stage.glsl"

#pragma reads grid.u grid.v
#pragma writes grid.speed
#pragma reach grid_u 1
#pragma reach grid_v 1

// The speed of a plane flow at the centres of cells, m/s.
void stage(ivec2 cell) {
    vec2 sum = vec2(grid_u(cell) + grid_u(cell + ivec2(1, 0)), grid_v(cell) + grid_v(cell + ivec2(0, 1)));
    set_grid_speed(cell, 0.5 * length(sum));
}

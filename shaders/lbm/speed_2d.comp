#version 460
#include "stage.glsl"

#pragma reads grid.u
#pragma writes grid.speed

// The speed of a plane flow, m/s.
void stage(ivec2 cell) {
    set_grid_speed(cell, length(grid_u(cell)));
}

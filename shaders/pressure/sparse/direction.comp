#version 460
#include "stage.glsl"

// The next direction of the search, d = s + beta d.
void stage(ivec3 cell) {
    set_grid_d(cell, grid_s(cell) + beta(0u) * grid_d(cell));
}

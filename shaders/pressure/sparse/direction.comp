#version 460
#include "stage.glsl"

#pragma reads grid.s grid.d beta
#pragma writes grid.d

// The next direction of the search, d = s + beta d.
void stage(ivec3 cell) {
    set_grid_d(cell, grid_s(cell) + beta(0u) * grid_d(cell));
}

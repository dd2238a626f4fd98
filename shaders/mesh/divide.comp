#version 460
#include "stage.glsl"
#include "mesh/shares.glsl"

#pragma reads grid.shares
#pragma writes grid.density
#pragma arguments particles_per_cell

void stage(ivec3 cell) {
    set_grid_density(cell, float(grid_shares(cell)) / (SHARES * arg.particles_per_cell));
}

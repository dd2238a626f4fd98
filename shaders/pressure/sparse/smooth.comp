#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.r grid.z
#pragma writes grid.s
#pragma arguments damping
#pragma reach grid_z 1

// Damped Jacobi: s = z + omega (r - A z) / diagonal.

float z_at(ivec3 cell) {
    return grid_z(cell);
}

DEFINE_FLUX(flux, z_at)

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    Parts c = parts_of(word);
    float z = z_at(cell), own = diagonal(c), rest = grid_r(cell) - flux(word, cell, grid_cells, c, z);
    set_grid_s(cell, is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0);
}

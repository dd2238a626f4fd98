#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

// Damped Jacobi: s = z + omega (r - A z) / diagonal.

float z_at(ivec3 cell) {
    return grid_z(AT(cell));
}

DEFINE_FLUX(flux, z_at)

STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    Parts c = parts_of(word);
    float z = z_at(cell), own = diagonal(c), rest = grid_r(AT(cell)) - flux(word, cell, space_size(grid_cells), c, z);
    set_grid_s(AT(cell), is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0);
}

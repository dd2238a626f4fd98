#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

// Damped Jacobi: s = z + omega (r - A z) / diagonal.

float z_at(ivec3 cell) {
    return grid_z(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, arg.open)
DEFINE_FLUX(flux, z_at)

STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    Around at = around(cell, space_size(grid_cells));
    Parts c = parts(cell, at, word);
    float z = z_at(cell), own = diagonal(c), rest = grid_r(AT(cell)) - flux(at, c, z);
    set_grid_s(AT(cell), is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0);
}

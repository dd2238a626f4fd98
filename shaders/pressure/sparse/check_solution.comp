#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.p grid.b
#pragma reduces max true_largest
#pragma reduces sum true_square
#pragma reach grid_p 1

// The true residual, b - A p: the residual that the iterations update accumulates rounding errors.

float p_at(ivec3 cell) {
    return grid_p(cell);
}

DEFINE_FLUX(flux, p_at)

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    float b = grid_b(cell), product = flux(word, cell, grid_cells, parts_of(word), p_at(cell));
    float rest = is_fluid(word) ? b - product : 0.0;
    sum_true_square(rest * rest);
    max_true_largest(abs(rest));
}

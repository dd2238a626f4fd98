#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.p grid.b
#pragma writes grid.r grid.s
#pragma reduces max largest
#pragma reduces sum given next_weight norm
#pragma arguments damping
#pragma reach grid_p 1

// r = b - A p; s = omega r / diagonal, as damped Jacobi has it; the sums of r r, b b and s r, and the largest |r|.

float p_at(ivec3 cell) {
    return grid_p(cell);
}

DEFINE_FLUX(flux, p_at)

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    Parts c = parts_of(word);
    float own = diagonal(c), given = grid_b(cell), product = flux(word, cell, grid_cells, c, p_at(cell));
    float b = is_fluid(word) ? given : 0.0, r = is_fluid(word) ? given - product : 0.0;
    float s = own > 0.0 ? arg.damping * r / own : 0.0;
    set_grid_r(cell, r);
    set_grid_s(cell, s);
    sum_norm(r * r);
    sum_given(b * b);
    sum_next_weight(s * r);
    max_largest(abs(r));
}

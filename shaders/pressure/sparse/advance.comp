#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.p grid.r grid.d dq dd weight
#pragma writes grid.p grid.r grid.s
#pragma reduces max largest
#pragma reduces sum next_weight norm
#pragma arguments damping
#pragma reach grid_d 1

// A step along the direction, alpha = s r / d A d: p += alpha d, r -= alpha A d, s = omega r / diagonal.

float d_at(ivec3 cell) {
    return grid_d(cell);
}

DEFINE_FLUX(flux, d_at)

void stage(ivec3 cell) {
    // A direction that is constant up to rounding does not change r; the smallest eigenvalue of a box of n cells is (pi / n)^2.
    float alpha = dq(0u) > 1e-8 * dd(0u) ? max(weight(0u), 0.0) / dq(0u) : 0.0;
    uint word = grid_faces(cell);
    Parts c = parts_of(word);
    float d = d_at(cell), p = grid_p(cell), rest = grid_r(cell), own = diagonal(c);
    float q = flux(word, cell, grid_cells, c, d);
    float r = is_fluid(word) ? rest - alpha * q : 0.0, s = own > 0.0 ? arg.damping * r / own : 0.0;
    set_grid_p(cell, p + alpha * d);
    set_grid_r(cell, r);
    set_grid_s(cell, s);
    sum_norm(r * r);
    sum_next_weight(s * r);
    max_largest(abs(r));
}

#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.d
#pragma reduces sum dd dq
#pragma reach grid_d 1

// The sums of d A d and d d.

float d_at(ivec3 cell) {
    return grid_d(cell);
}

DEFINE_FLUX(flux, d_at)

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    float d = d_at(cell), q = flux(word, cell, grid_cells, parts_of(word), d);
    sum_dq(is_fluid(word) ? d * q : 0.0);
    sum_dd(is_fluid(word) ? d * d : 0.0);
}

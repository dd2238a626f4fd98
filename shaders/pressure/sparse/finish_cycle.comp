#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"

#pragma reads grid.faces grid.r grid.z grid.d
#pragma writes grid.s
#pragma reduces sum next_weight sad
#pragma arguments damping
#pragma reach grid_z 1
#pragma reach grid_d 1

// The last smoothing of a cycle, s = z + omega (r - A z) / diagonal, and the sums s r and s A d that the next direction and step
// need.

float z_at(ivec3 cell) {
    return grid_z(cell);
}

float d_at(ivec3 cell) {
    return grid_d(cell);
}

DEFINE_FLUX(flux_of_z, z_at)
DEFINE_FLUX(flux_of_d, d_at)

void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    Parts c = parts_of(word);
    float r = grid_r(cell), z = z_at(cell), own = diagonal(c);
    float rest = r - flux_of_z(word, cell, grid_cells, c, z);
    float ad = flux_of_d(word, cell, grid_cells, c, d_at(cell));
    float s = is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0;
    set_grid_s(cell, s);
    sum_next_weight(s * r);
    sum_sad(s * ad);
}

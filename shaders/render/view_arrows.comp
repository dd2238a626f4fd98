#version 460
#include "stage.glsl"
#include "render/slice_arrows.glsl"

// Arrows of a channel of vectors: those of the cells in which their middles lie.

vec3 vector_at(vec3 place) {
    ivec3 i = ivec3(floor((place - box_low()) / in_space(grid_spacing, 1.0)));
    return in_space(grid_vector(index_like(grid_cells, clamp(i, ivec3(0), in_space(grid_cells) - 1))), 0.0);
}

#version 460
#include "stage.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/decide.glsl"

#pragma reads partial_norms partial_dq limits iterations best
#pragma writes going converged best iterations residual history dq
#pragma arguments stall_iterations

// After an iteration: whether another one is needed, and d A d of its direction.

vec4 sums_of_tile(uint tile) {
    vec4 norms = partial_norms(tile);
    return vec4(norms.x, partial_dq(tile).x, 0.0, norms.w);
}

DEFINE_TOTAL(total, sums_of_tile, partial_norms_length)

void stage(uvec3 group, uint local) {
    vec4 sums = total(local);
    if (local == 0u) {
        set_dq(0u, sums.y);
        decide(iterations(0u) + 1u, sums, limits(0u), best(0u));
    }
}

#version 460
#include "stage.glsl"
#include "pressure/group_sums.glsl"

#pragma reads partial_norms
#pragma writes true_square true_largest

// The true residual, b - A p: the residual that the iterations update accumulates rounding errors.

DEFINE_TOTAL(total_norms, partial_norms, partial_norms_length)

void stage(uvec3 group, uint local) {
    vec4 sums = total_norms(local);
    if (local == 0u) {
        set_true_square(0u, sums.x);
        set_true_largest(0u, sums.w);
    }
}

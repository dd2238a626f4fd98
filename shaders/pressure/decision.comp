#version 460
#include "stage.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/decide.glsl"

#pragma reads partial_norms limits iterations best
#pragma writes going converged best iterations residual history
#pragma arguments stall_iterations

// After an iteration: whether another one is needed.

DEFINE_TOTAL(total_norms, partial_norms, partial_norms_length)

void stage(uvec3 group, uint local) {
    vec4 sums = total_norms(local);
    if (local == 0u) {
        decide(iterations(0u), sums, limits(0u), best(0u));
    }
}

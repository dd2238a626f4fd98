#version 460
#include "stage.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/decide.glsl"

#pragma reads partial_norms
#pragma writes going converged best iterations residual history limits weight_before dq
#pragma arguments rtol atol stall_iterations

// Before the first iteration: whether one is needed at all, and the state of a search without a direction.

DEFINE_TOTAL(total_norms, partial_norms, partial_norms_length)

void stage(uvec3 group, uint local) {
    vec4 sums = total_norms(local);
    if (local == 0u) {
        vec4 limits = vec4(arg.rtol * arg.rtol * sums.y, arg.atol, sums.y, 0.0);
        set_limits(0u, limits);
        set_weight_before(0u, 0.0);
        set_dq(0u, 0.0);
        decide(0u, sums, limits, vec2(0.0));
    }
}

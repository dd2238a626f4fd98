#version 460
#include "stage.glsl"
#include "pressure/decide.glsl"

#pragma reads norm given next_weight largest
#pragma writes going converged best iterations residual history limits weight beta
#pragma arguments rtol atol stall_iterations

// Before the first iteration: whether one is needed at all, and the state of a search without a direction.
void stage(uint i) {
    vec4 sums = vec4(norm(0u), given(0u), 0.0, largest(0u));
    vec4 start = vec4(arg.rtol * arg.rtol * sums.y, arg.atol, sums.y, 0.0);
    set_limits(0u, start);
    set_weight(0u, next_weight(0u));
    set_beta(0u, 0.0);
    decide(0u, sums, start, vec2(0.0));
}

#version 460
#include "stage.glsl"
#include "pressure/decide.glsl"

#pragma reads norm largest weight next_weight limits iterations best
#pragma writes going converged best iterations residual history weight beta
#pragma arguments stall_iterations

// After an iteration: whether another one is needed, and beta = (s r) / (s r)_before of its direction.
void stage(uint i) {
    float now = next_weight(0u), before = weight(0u);
    set_beta(0u, before > 0.0 ? now / before : 0.0);
    set_weight(0u, now);
    decide(iterations(0u) + 1u, vec4(norm(0u), 0.0, 0.0, largest(0u)), limits(0u), best(0u));
}

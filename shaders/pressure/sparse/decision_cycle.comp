#version 460
#include "stage.glsl"
#include "pressure/decide.glsl"

#pragma reads norm largest limits iterations best
#pragma writes going converged best iterations residual history
#pragma arguments stall_iterations

// After an iteration: whether another one is needed.
void stage(uint i) {
    decide(iterations(0u) + 1u, vec4(norm(0u), 0.0, 0.0, largest(0u)), limits(0u), best(0u));
}

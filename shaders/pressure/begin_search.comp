#version 460
#include "stage.glsl"

// Before the first iteration: whether one is needed, and the state of a search that has no direction yet. A right side of 0
// needs none.
void stage(uint i) {
    vec2 sums = norms(0u);  // r r, b b
    bool unsolved = sqrt(sums.x) > arg.relative * sqrt(sums.y) && largest(0u) > arg.absolute;
    set_going(0u, unsolved ? 1u : 0u);
    set_iterations(0u, 0u);
    set_residual(0u, unsolved ? sqrt(sums.x / sums.y) : 0.0);
    set_history(0u, unsolved ? sqrt(sums.x / sums.y) : 0.0);
    set_beta_now(0u, 0.0);
    set_dq_before(0u, 0.0);
    set_square_before(0u, sums.x);
}

#version 460
#include "stage.glsl"

// After an iteration: whether another one is needed, and what it needs to know of this one.
void stage(uint i) {
    float now = square(0u), before = square_before(0u), whole = norms(0u).y;
    bool unsolved = sqrt(now) > arg.relative * sqrt(whole) && largest(0u) > arg.absolute;
    uint turn = iterations(0u) + 1u;
    set_going(0u, unsolved ? 1u : 0u);
    set_iterations(0u, turn);
    set_residual(0u, sqrt(now / whole));
    if (turn < history_length) {
        set_history(turn, sqrt(now / whole));
    }
    set_beta_now(0u, before > 0.0 ? now / before : 0.0);
    set_dq_before(0u, dq(0u));
    set_square_before(0u, now);
}

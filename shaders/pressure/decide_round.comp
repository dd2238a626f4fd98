#version 460
#include "stage.glsl"

#pragma reads rest_square whole_square rest_largest rest_before iterations all_iterations rounds
#pragma writes unsolved converged residual limits rest_before all_iterations rounds
#pragma arguments rtol atol

// Decides from the true residual whether another round is needed: not if a tolerance is met, or if the last round has not
// halved it.
void stage(uint i) {
    float rest = rest_square(0u), whole = whole_square(0u), before = rest_before(0u);
    bool is_solved = !(rest > arg.rtol * arg.rtol * whole && rest_largest(0u) > arg.atol);
    bool is_stuck = before >= 0.0 && rest > 0.25 * before;
    set_unsolved(0u, is_solved || is_stuck ? 0u : 1u);
    set_converged(0u, is_solved ? 1u : 0u);
    set_rest_before(0u, rest);
    set_residual(0u, whole > 0.0 ? sqrt(rest / whole) : 0.0);
    set_limits(0u, vec4(arg.rtol * arg.rtol * whole, arg.atol, whole, 0.0));
    // No round precedes the first decision.
    set_all_iterations(0u, before >= 0.0 ? all_iterations(0u) + iterations(0u) : 0u);
    set_rounds(0u, before >= 0.0 ? rounds(0u) + 1u : 0u);
}

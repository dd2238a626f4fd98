// True if another iteration is needed after `iteration` of them, with r r = sums.x and the largest |r| in sums.w; limits are
// (rtol^2 b b, atol, b b). A right side of 0 needs none.
//
// Rounding sets a floor: below it, r is rounding error, and further iterations would only add noise to p.
// So a search without progress over arg.stall_iterations iterations ends, too. `best` is the smallest r r so far and its iteration.
void decide(uint iteration, vec4 sums, vec4 limits, vec2 best) {
    bool is_solved = !(sums.x > limits.x && sums.w > limits.y);
    best = iteration == 0u || sums.x < 0.8 * best.x ? vec2(sums.x, float(iteration)) : best;
    bool is_stuck = float(iteration) - best.y >= arg.stall_iterations;
    float rest = limits.z > 0.0 ? sqrt(sums.x / limits.z) : 0.0;
    set_going(0u, is_solved || is_stuck ? 0u : 1u);
    set_converged(0u, is_solved ? 1u : 0u);
    set_best(0u, best);
    set_iterations(0u, iteration);
    set_residual(0u, rest);
    if (iteration < history_length) {
        set_history(iteration, rest);
    }
}

// Whether another iteration is needed after `turn` of them, with r r = sums.x and the largest |r| in sums.w; limits are
// (relative^2 b b, absolute, b b). A right side of 0 needs none.
//
// Rounding sets a floor: below it, r consists of what floats cannot represent, and further steps would only add noise to p.
// So a search without progress over arg.patience iterations ends, too. `best` is the smallest r r so far and when it was found.
void decide(uint turn, vec4 sums, vec4 limits, vec2 best) {
    bool is_solved = !(sums.x > limits.x && sums.w > limits.y);
    best = turn == 0u || sums.x < 0.8 * best.x ? vec2(sums.x, float(turn)) : best;
    bool is_stuck = float(turn) - best.y >= arg.patience;
    float rest = limits.z > 0.0 ? sqrt(sums.x / limits.z) : 0.0;
    set_going(0u, is_solved || is_stuck ? 0u : 1u);
    set_converged(0u, is_solved ? 1u : 0u);
    set_best(0u, best);
    set_iterations(0u, turn);
    set_residual(0u, rest);
    if (turn < history_length) {
        set_history(turn, rest);
    }
}

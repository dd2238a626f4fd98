// Whether another iteration is needed after `turn` of them, with r r = sums.x and the largest |r| in sums.w; limits are
// (relative^2 b b, absolute, b b). A right side of 0 needs none.
void decide(uint turn, vec4 sums, vec4 limits) {
    bool unsolved = sums.x > limits.x && sums.w > limits.y;
    float rest = limits.z > 0.0 ? sqrt(sums.x / limits.z) : 0.0;
    set_going(0u, unsolved ? 1u : 0u);
    set_iterations(0u, turn);
    set_residual(0u, rest);
    if (turn < history_length) {
        set_history(turn, rest);
    }
}

// The Q criterion (Hunt, Wray & Moin 1988, "Eddies, streams, and convergence zones in turbulent flows"): Q = (|W|^2 - |S|^2) / 2, 1/s^2,
// with the rotation W and the strain S, the two halves of the gradient of the velocity. Column a of `gradient` is the change along
// axis a, 1/s. Both norms together are the trace of the gradient's square.
float q_of(mat3 gradient) {
    mat3 square = gradient * gradient;
    return -0.5 * (square[0][0] + square[1][1] + square[2][2]);
}

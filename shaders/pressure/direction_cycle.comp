#version 460
#include "stage.glsl"
#include "pressure/direction.glsl"

// Flexible conjugate gradients (Notay 2000, "Flexible conjugate gradients", algorithm 2.1 with the last direction only): s is
// what a multigrid cycle made of the residual, beta = -(s A d) / (d A d) with the direction before. The cycle need not be
// symmetric.
void stage(uint i) {
    float dq = dq_before(0u);
    beta = dq > 0.0 ? -dots(0u).y / dq : 0.0;
    search(i);
}

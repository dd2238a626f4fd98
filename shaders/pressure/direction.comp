#version 460
#include "stage.glsl"
#include "pressure/direction.glsl"

// Conjugate gradients (Hestenes & Stiefel 1952): s is the residual, beta = r r / (r r)_before.
void stage(uint i) {
    beta = beta_now(0u);
    search(i);
}

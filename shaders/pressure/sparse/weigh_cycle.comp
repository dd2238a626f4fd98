#version 460
#include "stage.glsl"

#pragma reads next_weight sad dq iterations
#pragma writes weight beta

// The weights of a direction by flexible conjugate gradients, as in pressure/direction_cycle.comp: s r, and
// beta = -(s A d) / (d A d) with the direction before. The first iteration has none before.
void stage(uint i) {
    set_weight(0u, next_weight(0u));
    set_beta(0u, iterations(0u) > 0u && dq(0u) > 0.0 ? -sad(0u) / dq(0u) : 0.0);
}

#version 460
#include "stage.glsl"
#include "pressure/direction.glsl"

// Conjugate gradients (Hestenes & Stiefel 1952): s is the residual, beta = r r / (r r)_before.

DEFINE_TOTAL(total_norms, partial_norms, partial_norms_length)

void stage(uvec3 group, uint local) {
    float weight = total_norms(local).x, before = weight_before(0u);
    beta = before > 0.0 ? weight / before : 0.0;
    if (group.x == 0u && local == 0u) {
        set_weight(0u, weight);
    }
    search(group, local);
}

#version 460
#include "stage.glsl"
#include "pressure/direction.glsl"
#include "pressure/decide.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.s grid.d partial_norms weight_before on limits iterations best
#pragma writes grid.d_next partial_dq weight going converged best iterations residual history
#pragma whole
#pragma arguments stall_iterations max_iterations
#pragma argument uint max_iterations

// Conjugate gradients (Hestenes & Stiefel 1952): s is the residual, beta = r r / (r r)_before. The first workgroup also decides
// whether another iteration is needed: on small grids a separate stage and a test of the loop would take longer than an iteration.
// `on` is 1 if the last direction was needed, `going` if this one is. One direction is computed in vain at the end.

DEFINE_TOTAL(total_norms, partial_norms, partial_norms_length)

void stage(uvec3 group, uint local) {
    uint goes = on(0u);
    vec4 sums = total_norms(local);
    float weight = sums.x, before = weight_before(0u);
    beta = before > 0.0 ? weight / before : 0.0;
    if (goes != 0u) {
        search(group, local);
    }
    if (stage_number(group) == 0u && local == 0u) {
        uint iteration = iterations(0u);
        set_weight(0u, weight);
        if (goes != 0u) {
            decide(iteration, sums, limits(0u), best(0u));
        }
        if (goes == 0u || iteration >= arg.max_iterations) {
            set_going(0u, 0u);
        }
    }
}

#version 460
#include "stage.glsl"
#include "pressure/advance.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.p grid.r grid.d partial_dq weight on iterations
#pragma writes grid.p grid.r partial_norms weight_before iterations
#pragma whole

// Nothing if `on` is 0.

DEFINE_TOTAL(total_dq, partial_dq, partial_dq_length)

void stage(uvec3 group, uint local) {
    uint goes = on(0u);
    vec2 total = total_dq(local).xy;
    if (goes == 0u) {
        return;
    }
    if (stage_number(group) == 0u && local == 0u) {
        set_weight_before(0u, weight(0u));
        set_iterations(0u, iterations(0u) + 1u);
    }
    advance(group, local, vec3(weight(0u), total));
}

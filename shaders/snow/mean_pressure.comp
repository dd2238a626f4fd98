#version 460
#define OWN_MAIN
#include "stage.glsl"
#define REDUCE_TYPE vec2
#include "lib/reduce.glsl"

// pressure_mean = (mean pressure over the fluid cells, their number). One workgroup, one fixed order
// of additions: each invocation first sums its stride in order.
void main() {
    stage_begin();
    uint lane = gl_LocalInvocationID.x;
    vec2 sum = vec2(0.0);
    for (uint i = lane; i < active_blocks(0u); i += gl_WorkGroupSize.x) {
        sum += pressure_block(i);
    }
    sum = reduce_sum(sum);
    if (lane == 0u) {
        set_pressure_mean(0u, vec2(sum.y > 0.0 ? sum.x / sum.y : 0.0, sum.y));
    }
}

#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"
#include "measure/fold.glsl"

// Combines the partial results of a component to its result, in one workgroup.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, lane = gl_LocalInvocationID.x;
    uvec2 mine = nothing();
    for (uint group = lane; group < GROUPS; group += gl_WorkGroupSize.x) {
        uint at = 2u * (item * GROUPS + group);
        mine = folded(mine, uvec2(partials(at), partials(at + 1u)));
    }
    uvec2 all = fold_group(mine);
    if (lane == 0u) {
        put(item, result(all));
    }
}

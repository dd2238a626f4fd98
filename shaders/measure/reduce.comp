#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"
#include "measure/fold.glsl"

// The most elements that there are.
layout(constant_id = 3) const uint ELEMENTS_LOW = 0u;
layout(constant_id = 4) const uint ELEMENTS_HIGH = 0u;

// Combines elements to a partial result per workgroup and component, or to the result if there is one workgroup.
// Invocations process elements with a stride, so that neighbours read neighbours.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, group = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x;
    uint64_t most = uint64_t(ELEMENTS_HIGH) << 32 | uint64_t(ELEMENTS_LOW);
    uint64_t count = min(measured_count(item), most), stride = uint64_t(GROUPS) * gl_WorkGroupSize.x;
    uvec2 mine = nothing();
    for (uint64_t k = uint64_t(group) * gl_WorkGroupSize.x + lane; k < count; k += stride) {
        uvec4 keys;
        if (measured_keys(item, k, keys)) {
            mine = folded(mine, single(keys.x));
        }
    }
    uvec2 all = fold_group(mine);
    if (lane != 0u) {
        return;
    }
    if (GROUPS == 1u) {
        put(item, result(all));
    } else {
        uint at = 2u * (item * GROUPS + group);
        put(at, all.x);
        put(at + 1u, all.y);
    }
}

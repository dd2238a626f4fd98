#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"
#include "measure/fold.glsl"
#include "engine/pages.glsl"

// Partial results of a component; those of a plane are stored one after the other, then those of the next component.
layout(constant_id = 3) const uint PARTIALS = 1u;
layout(constant_id = 4) const uint PLANE = 1u;
layout(constant_id = 5) const uint ITEMS = 1u;
#ifdef HAS_counts
// For each active block of a sparse grid, whose header is `counts`. There are fewer than PARTIALS if not all can be active.
layout(constant_id = 6) const uint RUNS_OF_BLOCK = 1u;
#endif

// Combines the partial results of a component to one per workgroup, or to its result if there is one workgroup. Each
// workgroup takes consecutive ones.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, group = gl_WorkGroupID.x, lane = gl_LocalInvocationID.x;
    uint present = PARTIALS;
#ifdef HAS_counts
    present = min(present, counts(ACTIVE) * RUNS_OF_BLOCK);
#endif
    uint each = (PARTIALS + GROUPS - 1u) / GROUPS, end = min((group + 1u) * each, present);
    uvec2 mine = nothing();
    for (uint k = group * each + lane; k < end; k += gl_WorkGroupSize.x) {
        uint plane = k / PLANE;
        uint at = 2u * (k + (plane * (ITEMS - 1u) + item) * PLANE);
        mine = folded(mine, uvec2(partials(at), partials(at + 1u)));
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

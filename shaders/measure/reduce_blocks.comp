#version 460
#define OWN_MAIN
#include "stage.glsl"
#include "measure/items.glsl"
#include "measure/fold.glsl"

// The most runs that there are. The elements of a run are cells or sub-blocks that follow each other in a block, and are a box
// of the grid.
layout(constant_id = 3) const uint RUNS = 1u;
// Elements of a run, log2, and the invocations that process it.
layout(constant_id = 4) const uint RUN_LOG2 = 12u;
layout(constant_id = 5) const uint LANES = 256u;

// Combines the elements of each run of the active blocks of a sparse grid to a partial result per component, in the order of the
// list of active blocks. Runs do not depend on the part of the grid that a rank has: it reduces those that begin in its part,
// and leaves 0 for the others, so that ranks can add up the bits of their partial results.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, lane = gl_LocalInvocationID.x % LANES, own = gl_LocalInvocationID.x / LANES;
    uint count = min(uint(measured_count(item) >> RUN_LOG2), RUNS), each = gl_WorkGroupSize.x / LANES;
    for (uint first = gl_WorkGroupID.x * each; first < count; first += GROUPS * each) {
        uint run = first + own;
        uint64_t start = uint64_t(run) << RUN_LOG2;
        bool is_here = run < count;
#ifdef STAGE_IS_CUT
        is_here = is_here && measured_is_in_part(item, start);
#endif
        uvec2 mine = nothing();
        for (uint k = lane; is_here && k < 1u << RUN_LOG2; k += LANES) {
            uvec4 keys;
            if (measured_keys(item, start + k, keys)) {
                mine = folded(mine, single(keys.x));
            }
        }
        uvec2 all = fold_lanes(mine, LANES);
        if (lane == 0u && run < count) {
            uint at = 2u * (item * RUNS + run);
            put(at, is_here ? all.x : 0u);
            put(at + 1u, is_here ? all.y : 0u);
        }
        // The shared values are of the next runs from here on.
        barrier();
    }
}

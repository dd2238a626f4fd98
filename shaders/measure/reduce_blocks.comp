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

// Invocations of a workgroup, and runs that they process at once.
const uint GROUP = 256u;
const uint AT_ONCE = GROUP / LANES;

// Combines the elements of some runs, from `first` on, to a partial result each. Runs do not depend on the part of the grid that
// a rank has: it reduces those that begin in its part, and leaves 0 for the others, so that ranks can add up the bits of their
// partial results. Every invocation must call it.
void reduce_runs(uint item, uint first, uint count) {
    uint lane = gl_LocalInvocationID.x % LANES, run = first + gl_LocalInvocationID.x / LANES;
    uint64_t start = uint64_t(run) << RUN_LOG2;
    bool is_here = run < count;
#ifdef STAGE_IS_CUT
    is_here = is_here && measured_is_in_part(item, start);
#endif
    // Not a constant, so that compilers do not unroll the loop: what it calls is long.
    uint64_t end = is_here ? start + (1u << RUN_LOG2) : start;
    uvec2 mine = nothing();
    for (uint64_t k = start + lane; k < end; k += LANES) {
        uvec4 keys;
        if (measured_keys(item, k, keys)) {
            mine = folded(mine, single(keys.x));
        }
    }
    uvec2 all = fold_lanes(mine, LANES);
    if (lane == 0u && run < count) {
        uint at = 2u * (item * RUNS + run);
        put(at, is_here ? all.x : 0u);
        put(at + 1u, is_here ? all.y : 0u);
    }
}

// Processes the runs of the active blocks of a sparse grid, in the order of the list of active blocks.
void main() {
    stage_begin();
    uint item = gl_WorkGroupID.y, first = gl_WorkGroupID.x * AT_ONCE;
    uint count = min(uint(measured_count(item) >> RUN_LOG2), RUNS);
    if (GROUPS * AT_ONCE >= RUNS) {
        // Barriers in a loop take long on processors.
        if (first < count) {
            reduce_runs(item, first, count);
        }
        return;
    }
    for (; first < count; first += GROUPS * AT_ONCE) {
        reduce_runs(item, first, count);
        // The shared values are of the next runs from here on.
        barrier();
    }
}

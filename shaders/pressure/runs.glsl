// Stages over runs: cells that an invocation takes one after the other, x fastest. On a dense grid a run is a column,
// on a sparse grid a sub-block (sparse/runs.glsl).
#ifndef PRESSURE_RUNS
#define PRESSURE_RUNS

#include "pressure/lattice.glsl"
#include "pressure/next_in_run.glsl"

// Defines the function of a stage: its body, with `run`, follows.
#define STAGE_OVER_RUNS \
    void each(Run run); \
    void stage(uint i) { \
        ivec3 size = space_size(grid_cells); \
        int y = int(i / uint(size.x)), x = int(i) - y * size.x; \
        each(Run(ivec3(x, y, 0), ivec3(x + 1, y + 1, size.z))); \
    } \
    void each(Run run)

#endif

// Stages over runs: cells that an invocation takes one after the other, x fastest. On a dense grid a run is a column,
// on a sparse grid a sub-block (sparse/runs.glsl). With RUN_CELLS it is a piece of a column of so many cells, which
// occupies more of a large device, but has more atomic operations.
#ifndef PRESSURE_RUNS
#define PRESSURE_RUNS

#include "pressure/lattice.glsl"
#include "pressure/next_in_run.glsl"

#ifndef RUN_CELLS
#define RUN_CELLS 0x7fffffff
#endif

// Defines the function of a stage: its body, with `run`, follows.
#define STAGE_OVER_RUNS \
    void each(Run run); \
    void stage(uint i) { \
        ivec3 size = space_size(grid_cells); \
        int row = int(i / uint(size.x)), x = int(i) - row * size.x; \
        int y = row % size.y, z = row / size.y * RUN_CELLS; \
        each(Run(ivec3(x, y, z), ivec3(x + 1, y + 1, min(size.z - z, RUN_CELLS) + z))); \
    } \
    void each(Run run)

#endif

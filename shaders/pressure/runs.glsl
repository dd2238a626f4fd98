// Stages over runs: cells that an invocation takes one after the other, x fastest. On a dense grid a run is a column (columns.glsl),
// on a sparse grid a sub-block (sparse/runs.glsl).
#ifndef PRESSURE_RUNS
#define PRESSURE_RUNS

#include "pressure/lattice.glsl"
#include "pressure/columns.glsl"
#include "pressure/next_in_run.glsl"

// Defines the function of a stage: its body, with `run`, follows.
#define STAGE_OVER_RUNS \
    void each(Run run); \
    void stage(uint i) { \
        Column column = column_of(i, space_size(grid_cells)); \
        each(Run(column.first, ivec3(column.first.xy + 1, column.end))); \
    } \
    void each(Run run)

#endif

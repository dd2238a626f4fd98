// Stages over runs as in pressure/runs.glsl, on a sparse grid: a run is a sub-block of an active block.
#ifndef PRESSURE_SPARSE_RUNS
#define PRESSURE_SPARSE_RUNS

#include "pressure/lattice.glsl"
#include "pressure/next_in_run.glsl"

#define STAGE_OVER_RUNS \
    void each(Run run); \
    void stage(uint i, ivec3 first_cell) { \
        each(Run(first_cell, min(first_cell + grid_sub_cells, grid_cells))); \
    } \
    void each(Run run)

#endif

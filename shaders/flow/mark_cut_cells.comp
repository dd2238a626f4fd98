#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.solid
#pragma writes grid.cell_type
#pragma reach grid_solid 1

// Cells with all corners in the solid are solid, others are fluid.
STAGE_IN_SPACE {
    bool open = false;
    for (int k = 0; k < 8; k++) {
        open = open || grid_solid(AT(cell + ivec3(k & 1, k >> 1 & 1, k >> 2))) > 0.0;
    }
    set_grid_cell_type(AT(cell), open ? FLUID_CELL : SOLID_CELL);
}

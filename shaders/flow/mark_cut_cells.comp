#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

// Cells with all corners in the solid are solid, others are fluid.
void stage(ivec3 cell) {
    bool open = false;
    for (int k = 0; k < 8; k++) {
        open = open || grid_solid(cell + ivec3(k & 1, k >> 1 & 1, k >> 2)) > 0.0;
    }
    set_grid_cell_type(cell, open ? FLUID_CELL : SOLID_CELL);
}

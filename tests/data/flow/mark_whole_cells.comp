#version 460
#pragma reach grid_solid 1
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/cell_types.glsl"

// Cells whose centre is in the solid are solid: stairs of whole cells.
STAGE_IN_SPACE {
    float centre = 0.0;
    for (int k = 0; k < 8; k++) {
        centre += grid_solid(AT(cell + ivec3(k & 1, k >> 1 & 1, k >> 2)));
    }
    set_grid_cell_type(AT(cell), centre > 0.0 ? FLUID_CELL : SOLID_CELL);
}

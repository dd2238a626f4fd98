#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma reads air water grid.water
#pragma writes air
#pragma argument int axis
#pragma reach grid_water 1

// Faces across arg.axis that water touches move with the water.
void stage(ivec3 face) {
    ivec3 low = face;
    low[arg.axis]--;
    if (grid_water(low) == FLUID_CELL || grid_water(face) == FLUID_CELL) {
        set_air(face, water(face));
    }
}

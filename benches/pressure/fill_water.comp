#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "water.glsl"

void stage(ivec3 cell) {
    set_air_cell_type(cell, is_water(cell) ? FLUID_CELL : AIR_CELL);
}

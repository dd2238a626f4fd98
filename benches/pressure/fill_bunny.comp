#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

void stage(ivec3 cell) {
    set_air_cell_type(cell, air_inside(cell) != 0u ? SOLID_CELL : FLUID_CELL);
}

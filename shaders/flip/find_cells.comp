#version 460
#include "stage.glsl"
#include "flip/cells.glsl"

#pragma reads matter.position
#pragma writes matter.cell

// The cell of each particle, as a key for sorting.
void stage(uint i) {
    ivec3 cell = clamp(ivec3(floor(grid_coordinates(matter_position(i)))), ivec3(0), grid_cells - 1);
    set_matter_cell(i, key_of(cell, grid_cells));
}

#version 460
#include "stage.glsl"

// Writes the index of each cell to the last component; the others are unchanged.
void stage(ivec3 cell) {
    uvec4 value = wide_v(cell);
    value.w = uint((cell.z * wide_cells.y + cell.y) * wide_cells.x + cell.x);
    set_wide_v(cell, value);
}

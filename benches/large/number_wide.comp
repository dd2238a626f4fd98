#version 460
#include "stage.glsl"

// Each cell's number in the last component; the others stay.
void stage(ivec3 cell) {
    uvec4 value = wide_v(cell);
    value.w = uint((cell.z * wide_cells.y + cell.y) * wide_cells.x + cell.x);
    set_wide_v(cell, value);
}

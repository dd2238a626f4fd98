#version 460
#include "stage.glsl"

// The low 16 bits of the index of each cell, whose sum is exact.
void stage(ivec3 cell) {
    uint64_t number = (uint64_t(cell.z) * long_cells.y + cell.y) * long_cells.x + cell.x;
    set_long_n(cell, uint(number & 0xfffful));
}

#version 460
#include "stage.glsl"

// Another value in every cell.
void stage(ivec3 cell) {
    uint number = uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x);
    set_g_heat(cell, sqrt(float(number)) - 100.0);
    set_g_mark(cell, number);
}

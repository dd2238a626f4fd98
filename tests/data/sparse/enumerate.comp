#version 460
#include "stage.glsl"

#pragma writes g.id

void stage(ivec3 cell) {
    set_g_id(cell, uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x));
}

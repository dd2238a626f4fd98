#version 460
#include "stage.glsl"
#include "lib/random.glsl"

void stage(ivec3 cell) {
    uint index = uint(cell.x + box_cells.x * (cell.y + box_cells.y * cell.z));
    set_box_heat(cell, random4(index, 0u, 0u, clock.seed).x);
}

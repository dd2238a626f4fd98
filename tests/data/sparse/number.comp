#version 460
#include "stage.glsl"

// Every cell gets a number of its own, and every sub-block counts its cells.
void stage(ivec3 cell) {
    set_g_id(cell, uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x) + 1u);
    add_g_visits(cell, 1u);
    ivec3 subs = (g_cells + g_sub_cells - 1) / g_sub_cells;
    ivec3 sub = cell / g_sub_cells;
    add_counts(uint((sub.z * subs.y + sub.y) * subs.x + sub.x), 1u);
}

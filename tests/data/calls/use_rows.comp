#version 460
#include "stage.glsl"
#include "lib/rows.glsl"

#pragma reach box_mass 4
#pragma vector_width 4

DEFINE_ROW(mass_row, uvec4, box_mass)
DEFINE_SET_ROW(set_next_row, vec4, box_next)

// The mean of each cell and its two neighbours along x.
void stage(ivec3 cell) {
    vec4 row = vec4(mass_row(cell));
    float before = float(box_mass(ivec3(max(cell.x - 1, 0), cell.yz)));
    float behind = float(box_mass(ivec3(min(cell.x + stage_width, box_cells.x - 1), cell.yz)));
    set_next_row(cell, (row_west(row, before) + row + row_east(row, behind)) / 3.0);
}

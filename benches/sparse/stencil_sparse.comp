#version 460
#pragma reach space_a 4
#include "stage.glsl"
#include "lib/rows.glsl"

#pragma vector_width 4

DEFINE_ROW(a_row, vec4, space_a)
DEFINE_SET_ROW(set_b_row, vec4, space_b)

// A 7-point stencil. Beyond the sides of the domain in x, its neighbour is the cell itself.
void stage(ivec3 cell) {
    if (any(equal(cell.yz, ivec2(0))) || any(equal(cell.yz, space_cells.yz - 1))) {
        return;
    }
    const ivec3 y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    vec4 row = a_row(cell);
    vec4 west = row_west(row, space_a(ivec3(max(cell.x - 1, 0), cell.yz)));
    vec4 east = row_east(row, space_a(ivec3(min(cell.x + stage_width, space_cells.x - 1), cell.yz)));
    vec4 sum = west + east + a_row(cell - y) + a_row(cell + y) + a_row(cell - z) + a_row(cell + z);
    set_b_row(cell, 0.125 * sum + 0.25 * row);
}

#version 460
#include "stage.glsl"
#include "lib/rows.glsl"

#pragma vector_width 4

DEFINE_ROW(a_row, vec4, space_a)
DEFINE_ROW(b_row, vec4, space_b)
DEFINE_SET_ROW(set_a_row, vec4, space_a)

// Two loads and a store per cell.
void stage(ivec3 cell) {
    set_a_row(cell, 0.5 * a_row(cell) + b_row(cell) + 1.0);
}

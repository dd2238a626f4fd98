#version 460
#include "stage.glsl"

#pragma reads given.cell_type given.b
#pragma writes air.cell_type air.b

// Copies cell types and right-hand side from a dense grid to the blocks of a sparse grid.
void stage(ivec3 cell) {
    set_air_cell_type(cell, given_cell_type(cell));
    set_air_b(cell, given_b(cell));
}

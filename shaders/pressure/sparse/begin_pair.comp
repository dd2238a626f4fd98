#version 460
#include "stage.glsl"

// The first guess as a pair of floats, and the right side of all rounds.
void stage(ivec3 cell) {
    set_grid_p_high(cell, grid_p(cell));
    set_grid_p_low(cell, 0.0);
    set_grid_whole_b(cell, grid_b(cell));
}

#version 460
#include "stage.glsl"

// The high part of the pressure, and b as it was before the rounds.
void stage(ivec3 cell) {
    set_grid_p(cell, grid_p_high(cell));
    set_grid_b(cell, grid_whole_b(cell));
}

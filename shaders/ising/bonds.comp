#version 460
#include "stage.glsl"

#pragma reads grid.spin
#pragma reduces sum bonds
#pragma reach grid_spin 1

// The sum of s_i s_j over all pairs of neighbours: the energy is -J times it.
void stage(ivec2 cell) {
    sum_bonds(grid_spin(cell) * (grid_spin(cell + ivec2(1, 0)) + grid_spin(cell + ivec2(0, 1))));
}

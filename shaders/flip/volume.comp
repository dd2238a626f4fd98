#version 460
#include "stage.glsl"

#pragma reads grid.particle_density
#pragma reduces sum volume

// The part of each cell that is liquid, from 0 where particles are a quarter as dense as in a full cell to 1 at three quarters: half of
// a cell through whose centre a flat surface passes. Single drops count little.
void stage(ivec3 cell) {
    sum_volume(clamp(2.0 * grid_particle_density(cell) - 0.5, 0.0, 1.0));
}

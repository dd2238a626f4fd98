#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// A random right-hand side.
void stage(ivec3 cell) {
    uint number = uint(cell.x + air_cells.x * (cell.y + air_cells.y * cell.z));
    set_air_b(cell, random4(number, clock.step, 1u, clock.seed).x - 0.5);
}

#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// A random right-hand side. Point-symmetric cells have opposite values, so the sum is 0 in an empty box.
void stage(ivec3 cell) {
    uint number = uint(cell.x + air_cells.x * (cell.y + air_cells.y * cell.z));
    uint cells = uint(air_cells.x * air_cells.y * air_cells.z), pair = min(number, cells - 1u - number);
    float value = random4(pair, 0u, 1u, clock.seed).x - 0.5;
    set_air_b(cell, number == pair ? value : -value);
}

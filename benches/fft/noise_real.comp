#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Real numbers in -1 to 1.
void stage(ivec3 cell) {
    uint i = uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x);
    vec4 numbers = random4(i, 0u, 0u, clock.seed);
    set_g_v(cell, 2.0 * numbers.x - 1.0);
}

#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Complex numbers in -1 to 1 in each part.
void stage(ivec3 cell) {
    uint i = uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x);
    vec4 numbers = random4(i, 0u, 0u, clock.seed);
    set_g_v(cell, 2.0 * numbers.xy - 1.0);
}

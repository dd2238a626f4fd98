#version 460
#include "stage.glsl"
#include "lib/random.glsl"
void stage(ivec3 c) {
    uint e = uint(c.x + air_cells.x * (c.y + air_cells.y * c.z));
    uint n = uint(air_cells.x * air_cells.y * air_cells.z);
    // pairs of opposite sign: the sum is 0
    uint pair = min(e, n - 1u - e);
    float v = random4(pair, 0u, 1u, clock.seed).x - 0.5;
    set_air_b(c, e == pair ? v : -v);
}

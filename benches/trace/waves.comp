#version 460
#include "stage.glsl"

// A pool with waves and drops over it: the depth under the nearest surface, m, in a box of 1 m.
void stage(ivec3 cell) {
    vec3 p = grid_position(cell);
    float pool = 0.35 + 0.02 * sin(23.0 * p.x + 5.0 * p.y) + 0.02 * sin(31.0 * p.y - 7.0 * p.x) - p.z;
    vec3 drop = (fract(5.0 * p) - 0.5) / 5.0;
    float drops = p.z > 0.5 ? 0.03 - length(drop) : -1.0;
    set_grid_value(cell, max(pool, drops));
}

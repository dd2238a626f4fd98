#version 460
#include "stage.glsl"

// A ball in a corner is warm, the rest has the background.
void stage(ivec3 cell) {
    bool inside = dot(vec3(cell), vec3(cell)) < 20.0;
    set_air_heat(cell, inside ? float(cell.x + 10 * cell.y + 100 * cell.z) + 0.5 * float(clock.step) : 20.0);
    set_air_count(cell, inside ? 16777212u + uint(cell.x) : 0u);
    set_air_shift(cell, inside ? ivec3(-cell.x, cell.y, 1 + int(clock.step)) : ivec3(0));
}

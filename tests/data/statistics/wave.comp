#version 460
#include "stage.glsl"

// A period of 16 s: 64 steps. The sums of a single float, for comparison.
void stage(ivec3 cell) {
    float sine = sin(6.283185307 / 64.0 * float(clock.step % 64u));
    float value = 1000.0 + float(cell.x) + 0.5 * float(cell.y + 1) * sine;
    set_box_value(cell, value);
    set_box_flow(cell, vec3(value, sine * float(cell.z), clock.time < 16.0 ? 3.0 : 1.0));
    set_box_naive(cell, box_naive(cell) + vec2(value, value * value));
}

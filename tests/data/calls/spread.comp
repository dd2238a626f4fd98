#version 460
#pragma reach box_heat 1
#include "stage.glsl"

layout(constant_id = 0) const int SWEEPS = 1;

void stage(ivec3 cell) {
    float before = box_heat(cell);
    // `border` says what lies beyond the border.
    float east = box_heat(cell + ivec3(1, 0, 0));
    // An array: the entry stands after the index.
    set_box_f(cell, 0u, box_f(cell, box_f_entries - 1u) + before);
    float after = before + arg.rate * clock.dt * float(SWEEPS) * (east - before);
    set_box_next(cell, after);
    max_warmest(after);
}

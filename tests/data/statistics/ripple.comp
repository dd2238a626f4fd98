#version 460
#include "stage.glsl"

void stage(ivec2 cell) {
    float sine = sin(6.283185307 / 64.0 * float(clock.step % 64u));
    set_sheet_pair(cell, vec2(-2.0 * sine, float(cell.x)));
}

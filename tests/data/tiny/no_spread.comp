#version 460
#include "stage.glsl"

// Stands in for `spread`: the heat stays where it is, a little warmer.
void stage(ivec3 cell) {
    set_box_next(cell, box_heat(cell) + 0.25 * arg.rate);
}

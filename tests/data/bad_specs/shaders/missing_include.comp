#version 460
#include "stage.glsl"
#include "lib/randm.glsl"

void stage(ivec3 cell) {
    set_box_heat(cell, 1.0);
}

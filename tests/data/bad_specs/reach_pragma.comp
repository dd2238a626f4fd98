#version 460
#include "stage.glsl"
#pragma reach box_heta 1
#pragma reach box_heat one

void stage(ivec3 cell) {
    set_box_next(cell, box_heat(cell));
}

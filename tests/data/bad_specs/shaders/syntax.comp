#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    float heat = 1.0
    set_box_heat(cell, heat);
}

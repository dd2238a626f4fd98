#version 460
#include "stage.glsl"

layout(constant_id = 0) const float RATE = 3.0;

void stage(ivec3 cell) {
    set_box_heat(cell, RATE);
}

#version 460
#include "stage.glsl"
#include "circle.glsl"

void stage(ivec3 cell) {
    set_box_heat(cell, 1.0);
}

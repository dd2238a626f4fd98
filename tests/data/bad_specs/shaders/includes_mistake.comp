#version 460
#include "stage.glsl"
#include "middle.glsl"

void stage(ivec3 cell) {
    set_box_heat(cell, middle());
}

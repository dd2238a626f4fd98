#version 460
#include "stage.glsl"

#pragma writes box.heat

void stage(ivec3 cell) {
    set_box_heat(cell, arg.speed);
}

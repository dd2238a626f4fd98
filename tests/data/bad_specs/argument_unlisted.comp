#version 460
#include "stage.glsl"

#pragma writes box.heat

void stage(ivec3 cell) {
    float level = arg.speed;
    set_box_heat(cell, level);
}

#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_box_heat(cell, 1.0);
    set_box_next(cell, 2.0);
}

#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_box_next(cell, box_heat(cell));
}

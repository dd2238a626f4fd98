#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_box_heat(cell, box_next(cell));
}

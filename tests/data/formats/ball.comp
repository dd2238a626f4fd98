#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_box_value(cell, length(vec3(cell) - 9.5) < 6.2 ? 1.0 : 0.0);
}

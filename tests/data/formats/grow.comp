#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    float value = box_value(cell) - arg.rate;
    set_box_value(cell, cell == ivec3(arg.spoilt) ? uintBitsToFloat(0x7fc00000u) : value);
}

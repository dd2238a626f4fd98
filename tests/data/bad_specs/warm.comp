#version 460
#include "stage.glsl"

layout(constant_id = 0) const int SWEEPS = 3;
layout(constant_id = 1) const bool WET = false;

void stage(ivec3 cell) {
    set_box_heat(cell, WET ? float(SWEEPS) : 1.0);
}

#version 460
#include "stage.glsl"
#pragma reech box_heat 1
#pragma arguments gain

void stage(ivec3 cell) { set_box_next(cell, box_heat(cell)); }

#version 460
#include "stage.glsl"
#pragma reech box_heat 1

void stage(ivec3 cell) { set_box_next(cell, box_heat(cell)); }

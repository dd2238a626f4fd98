#version 460
#include "stage.glsl"
#pragma reach box_heat 1
void stage(ivec3 cell) { set_box_next(cell, sample_box_heat(box_position(cell))); }

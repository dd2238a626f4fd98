#version 460
#pragma workgroup 64
#include "stage.glsl"
void stage(ivec3 cell) { set_g_heat(cell, 1.0); }

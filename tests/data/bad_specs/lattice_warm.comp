#version 460
#include "stage.glsl"

void stage(ivec3 cell) { set_plane_heat(cell.xy, 1.0); }

#version 460
#include "stage.glsl"

void stage(uint i) { set_place(i, 3.0); }

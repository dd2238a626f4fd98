#version 460
#include "stage.glsl"

void stage(uint i) { set_place(i, place(i) + 2.0); }

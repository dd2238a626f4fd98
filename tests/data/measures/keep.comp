#version 460
#include "stage.glsl"

void stage(uint i) { set_c(i, c(i)); }

#version 460
#include "stage.glsl"
#pragma arguments wind burn
#pragma writes heat

void stage(uint i) {
    set_heat(i, arg.wind);
}

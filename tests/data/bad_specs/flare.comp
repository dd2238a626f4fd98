#version 460
#include "stage.glsl"

void stage(uint i) {
    set_heat(i, min(1.0, arg.burn_base) + arg.wind.x);
}

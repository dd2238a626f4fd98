#version 460
#include "stage.glsl"

void stage(uint i) {
    set_c(i, c(i) + vec3(0.0, arg.numerator / b(i), a(i)));
}

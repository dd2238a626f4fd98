#version 460
#include "stage.glsl"
#pragma unordered a
#pragma unordered b

void stage(uint i) {
    set_a(i, 1.0);
}

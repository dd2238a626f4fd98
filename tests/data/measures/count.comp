#version 460
#include "stage.glsl"

void stage(uint i) {
    set_a(i, a(i) + 1.0);
}

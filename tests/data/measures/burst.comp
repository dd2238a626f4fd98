#version 460
#include "stage.glsl"

// Infinite at one place, as `a` begins with 0.
void stage(uint i) {
    set_c(i, vec3(0.0, 1.0 / (i == 517u ? a(i) : 1.0), 0.0));
}

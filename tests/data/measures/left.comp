#version 460
#include "stage.glsl"

// What is left until step 37, at one place.
void stage(uint i) {
    set_b(i, i == 517u ? 36.0 - float(clock.step) : 1.0);
}

#version 460
#include "stage.glsl"

// What the device copies.
void stage(uint i) {
    set_to(i, from(i));
}

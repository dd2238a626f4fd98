#version 460
#include "stage.glsl"

// A copy, to measure the bandwidth of the device.
void stage(uint i) {
    set_to(i, from(i));
}

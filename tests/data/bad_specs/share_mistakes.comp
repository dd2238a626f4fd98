#version 460
#include "stage.glsl"

#pragma reads grains.key
#pragma writes counters
#pragma shares grains
#pragma adds counter

void stage(uint i) {
    add_counters(0u, grains_key(i));
}

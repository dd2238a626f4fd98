#version 460
#include "stage.glsl"
#pragma reads from
#pragma writes to

void stage(uint i) {
    set_to(i, from(i));
}

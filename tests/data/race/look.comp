#version 460
#include "stage.glsl"

void stage(uint i) {
    set_seen(i, third(third_length - 1u - i) + clock.frame);
}

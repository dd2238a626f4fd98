#version 460
#include "stage.glsl"

void stage(uint i) {
    set_count(i, count(i) + 1u);
}

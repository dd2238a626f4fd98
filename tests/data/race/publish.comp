#version 460
#include "stage.glsl"

void stage(uint i) {
    set_third(i, second(i));
}

#version 460
#include "stage.glsl"

void stage(uint i) {
    set_sparks_age(i, 1.0);
}

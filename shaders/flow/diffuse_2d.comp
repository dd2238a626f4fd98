#version 460
#include "stage.glsl"

const int AXES = 2;

float w_at(ivec3 face) {
    return 0.0;
}

#include "flow/diffuse.glsl"

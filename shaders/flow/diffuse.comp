#version 460
#include "stage.glsl"

const int AXES = 3;

float w_at(ivec3 face) {
    return grid_w(face);
}

#include "flow/diffuse.glsl"

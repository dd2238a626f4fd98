#version 460
#include "stage.glsl"

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

#include "lbm/stream_collide.glsl"

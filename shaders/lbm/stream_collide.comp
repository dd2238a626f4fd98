#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"

vec3 acceleration(ivec3 cell) {
    return arg.acceleration;
}

#include "lbm/stream_collide.glsl"

#version 460
#pragma reach air_u 1
#include "stage.glsl"

void stage(ivec3 cell) {
    // Beyond the active blocks, the second value.
    vec3 west = air_u(cell - ivec3(1, 0, 0), vec3(0.0));
    set_air_u(cell, 0.5 * (air_u(cell) + west));
}

#version 460
#include "stage.glsl"

void stage(uint i) {
    request_air(ivec3(floor(air_coordinates(dots_position(i)))));
}

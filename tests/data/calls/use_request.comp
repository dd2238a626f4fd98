#version 460
#include "stage.glsl"
#include "lib/request.glsl"

DEFINE_REQUEST_AROUND(request_around, air_block, request_air_block)

void stage(uint i) {
    request_around(ivec3(floor(air_coordinates(dots_position(i)))), 2);
}

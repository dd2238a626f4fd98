#version 460
#include "stage.glsl"
#include "lib/request.glsl"

bool is_hot(ivec3 cell) {
    return g_heat(cell) > 0.5;
}

DEFINE_REQUEST_WHERE(request_where_hot, is_hot, g_block, request_g_block)

void stage(ivec3 cell) {
    request_where_hot(cell, int(arg.reach));
}

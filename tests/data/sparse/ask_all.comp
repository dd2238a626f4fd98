#version 460
#include "stage.glsl"

void stage(ivec3 block) {
    request_g_block(block);
}

#version 460
#include "stage.glsl"

#pragma requests g

// All blocks but the last ones along x.
void stage(ivec3 block) {
    if (block.x + 1 < g_blocks.x) request_g_block(block);
}

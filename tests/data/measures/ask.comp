#version 460
#include "stage.glsl"

// Asks for the blocks that a ball in the middle reaches.
void stage(ivec3 block) {
    vec3 centre = vec3(40.0, 20.0, 20.0), low = vec3(block * g_block_cells), high = low + vec3(g_block_cells);
    if (distance(clamp(centre, low, high), centre) < arg.radius) {
        request_g_block(block);
    }
}

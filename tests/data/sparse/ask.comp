#version 460
#include "stage.glsl"

// Asks for the blocks that a ball reaches, which moves along x with the steps.
void stage(ivec3 block) {
    vec3 centre = vec3(12.0 + 3.0 * float(clock.step), 20.0, 16.0);
    vec3 low = vec3(block * g_block_cells), high = low + vec3(g_block_cells);
    if (distance(clamp(centre, low, high), centre) < arg.radius) {
        request_g_block(block);
    }
}

#version 460
#include "stage.glsl"

// Asks for the blocks whose bits are set in this step's word.
void stage(ivec3 block) {
    uint number = uint((block.z * g_blocks.y + block.y) * g_blocks.x + block.x);
    if ((asks(min(clock.step, asks_length - 1u)) >> number & 1u) != 0u) {
        request_g_block(block);
    }
}

#version 460
#include "stage.glsl"

// A block after the other along x is active, in the lower half.
void stage(ivec3 block) {
    if (block.z == 0 && block.x <= int(clock.step) / 2) {
        request_cloud_block(block);
    }
}

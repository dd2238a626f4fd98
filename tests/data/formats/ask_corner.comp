#version 460
#include "stage.glsl"

// The blocks around the ball, and the next ones.
void stage(ivec3 block) {
    if (all(lessThan(block, ivec3(3)))) {
        request_box_block(block);
    }
}

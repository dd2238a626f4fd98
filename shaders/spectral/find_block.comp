#version 460
#include "stage.glsl"

#pragma reads dots.position
#pragma writes dots.block
#pragma argument int blocks

// The block of the unit square that contains a dot, for the sort: dots of a block read the same velocities.
void stage(uint i) {
    ivec2 block = clamp(ivec2(dots_position(i) * float(arg.blocks)), ivec2(0), ivec2(arg.blocks - 1));
    set_dots_block(i, uint(block.x + arg.blocks * block.y));
}

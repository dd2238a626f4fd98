#version 460
#include "stage.glsl"

#pragma reads dots.position
#pragma writes dots.block
#pragma argument int side
// Whole if ranks cut the square along another axis than y.
#pragma whole

// The block of cells that contains a dot, for the sort: dots of a block read the same velocities.
void stage(uint i) {
    ivec2 cell = clamp(ivec2(floor(box_coordinates(dots_position(i)))), ivec2(0), box_cells - 1);
    ivec2 block = cell / arg.side, blocks = (box_cells + arg.side - 1) / arg.side;
    set_dots_block(i, uint(block.x + blocks.x * block.y));
}

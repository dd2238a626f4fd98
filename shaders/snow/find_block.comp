#version 460
#include "stage.glsl"
#include "snow/flake_block.glsl"

#pragma reads air.faces flakes.position
#pragma writes flakes.block
#pragma reach air_faces 0
// Whole if ranks cut the air along another axis than y.
#pragma whole

// The block of cells that contains a flake, for the sort: flakes of a block read the same wind.
void stage(uint flake) {
    set_flakes_block(flake, block_number(flakes_position(flake)));
}

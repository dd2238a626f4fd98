#version 460
#include "stage.glsl"

#pragma reads air.faces flakes.position
#pragma writes flakes.block
#pragma arguments flakes.sort_block
#pragma argument ivec3 sort_block
// Flakes are not cut with the air.
#pragma whole

// The block of cells that contains a flake, for the sort: flakes of a block read the same wind.
void stage(uint flake) {
    ivec3 blocks = (air_cells + arg.sort_block - 1) / arg.sort_block;
    vec3 cell = (flakes_position(flake) - air_origin) / air_dx;
    // A position that is not finite is in some block; deposit replaces the flake.
    ivec3 block = clamp(ivec3(cell), ivec3(0), air_cells - 1) / arg.sort_block;
    set_flakes_block(flake, uint(block.x + blocks.x * (block.y + blocks.y * block.z)));
}

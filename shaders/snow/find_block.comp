#version 460
#include "stage.glsl"
#include "snow/flake.glsl"

#pragma reads air.faces flakes.position
#pragma writes flakes.block

// The block of 8 x 8 x 4 cells that contains a flake, for the sort: flakes of a block read the same wind.
void stage(uint flake) {
    ivec3 blocks = (air_cells + FLAKE_BLOCK - 1) / FLAKE_BLOCK;
    vec3 cell = (flakes_position(flake) - air_origin) / air_dx;
    // A position that is not finite is in some block; deposit replaces the flake.
    ivec3 block = clamp(ivec3(cell), ivec3(0), air_cells - 1) / FLAKE_BLOCK;
    set_flakes_block(flake, uint(block.x + blocks.x * (block.y + blocks.y * block.z)));
}

// The blocks of cells by which flakes are sorted, a row of blocks along x and z after the other along y. Include after
// stage.glsl in a stage that reads a channel of `air`.
//
// Ranks divide the flakes by these rows, and have the wind up to `flakes.drift` cells beyond them.

// Cells of a block.
layout(constant_id = 0) const int BLOCK_X = 8;
layout(constant_id = 1) const int BLOCK_Y = 8;
layout(constant_id = 2) const int BLOCK_Z = 4;

const ivec3 BLOCK = ivec3(BLOCK_X, BLOCK_Y, BLOCK_Z);

ivec3 blocks_of_air() {
    return (air_cells + BLOCK - 1) / BLOCK;
}

// A position that is not finite is in some cell.
ivec3 flake_cell(vec3 position) {
    return clamp(ivec3((position - air_origin) / air_dx), ivec3(0), air_cells - 1);
}

uint block_number(vec3 position) {
    ivec3 blocks = blocks_of_air(), block = flake_cell(position) / BLOCK;
    return uint(block.x + blocks.x * (block.z + blocks.z * block.y));
}

// Returns true if a position is more than `drift` cells along y from the row of a block.
bool strays(vec3 position, uint number, int drift) {
    ivec3 blocks = blocks_of_air();
    int first = int(number / uint(blocks.x * blocks.z)) * BLOCK_Y, y = flake_cell(position).y;
    return y < first - drift || y >= first + BLOCK_Y + drift;
}

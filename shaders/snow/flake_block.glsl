// The blocks of cells by which flakes are sorted, a row of blocks along x and z after the other along y. Include after
// stage.glsl in a stage that accesses `air` and flakes.block.
//
// Ranks divide the flakes by these rows, and have the wind up to `flakes.drift` cells beyond them. A flake that is placed
// elsewhere, or strays farther, waits for the next sort: then the rank that has the wind there moves it.

#pragma arguments flakes.sort_block
#pragma argument ivec3 sort_block

// The block of a flake that was placed at the top or at another side since the last sort.
const uint WAITING = 0xffffffffu;

// A position that is not finite is in some cell.
ivec3 flake_cell(vec3 position) {
    return clamp(ivec3((position - air_origin) / air_dx), ivec3(0), air_cells - 1);
}

uint block_number(vec3 position) {
    ivec3 blocks = (air_cells + arg.sort_block - 1) / arg.sort_block;
    ivec3 block = flake_cell(position) / arg.sort_block;
    return uint(block.x + blocks.x * (block.z + blocks.z * block.y));
}

// Returns true if a position is more than `drift` cells along y from the row of a block.
bool strays(vec3 position, uint number, int drift) {
    ivec3 blocks = (air_cells + arg.sort_block - 1) / arg.sort_block;
    int first = int(number / uint(blocks.x * blocks.z)) * arg.sort_block.y, y = flake_cell(position).y;
    return y < first - drift || y >= first + arg.sort_block.y + drift;
}

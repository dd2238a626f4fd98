#version 460
#include "stage.glsl"
#include "water.glsl"

// Requests the blocks with water.
void stage(ivec3 block) {
    ivec3 first = block * air_block_cells;
    bool any_water = false;
    for (int k = 0; k < air_block_cells.x * air_block_cells.y * air_block_cells.z; k++) {
        ivec3 way = ivec3(k % air_block_cells.x, k / air_block_cells.x % air_block_cells.y, k / (air_block_cells.x * air_block_cells.y));
        any_water = any_water || is_water(first + way);
    }
    if (any_water) {
        request_air_block(block);
    }
}

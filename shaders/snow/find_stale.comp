#version 460
#include "stage.glsl"
#include "snow/active_blocks.glsl"

#pragma reads columns.stale columns.blocks_before
#pragma writes columns.stale
// As request_air.
#pragma whole

// Marks columns of blocks whose faces may have changed since the last rebuild: request_air has marked those next to cells
// that became solid or were uncovered. Here come those with blocks around that came or went, because faces depend on
// whether the cells up to two cells away are active, and blocks are at least as long.
void stage(ivec3 block) {
    if (block.z != 0) {
        return;
    }
    uint changed = uint(!has_block_bits());
    for (int y = max(block.y - 1, 0); y <= min(block.y + 1, air_blocks.y - 1); y++) {
        for (int x = max(block.x - 1, 0); x <= min(block.x + 1, air_blocks.x - 1); x++) {
            changed |= active_blocks(ivec2(x, y)) ^ columns_blocks_before(first_column(ivec2(x, y)));
        }
    }
    if (changed != 0u) {
        set_columns_stale(first_column(block.xy), 1u);
    }
}

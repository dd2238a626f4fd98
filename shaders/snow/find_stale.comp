#version 460
#include "stage.glsl"
#include "snow/active_blocks.glsl"

#pragma reads columns.solid columns.solid_before columns.blocks_before
#pragma writes columns.stale
// As request_air.
#pragma whole

// Faces of a cell depend on cells up to this distance: whether they are active, and next to it, whether they are solid.
const int REACH = 2;

// True if a cell of some columns has become solid or was uncovered since the last rebuild.
bool has_moved(ivec2 first, ivec2 end) {
    bool moved = false;
    for (int y = first.y; y < end.y; y++) {
        for (int x = first.x; x < end.x; x++) {
            moved = moved || columns_solid(ivec2(x, y)) != columns_solid_before(ivec2(x, y));
        }
    }
    return moved;
}

// Marks columns of blocks whose faces may have changed since the last rebuild, because snow or terrain moved, or because
// blocks came or went: few, most of the time. Blocks are at least as long as the reach.
void stage(ivec3 block) {
    if (block.z != 0) {
        return;
    }
    ivec2 low = block.xy * air_block_cells.xy, high = low + air_block_cells.xy;
    bool stale = !has_block_bits() || has_moved(max(low - REACH, ivec2(0)), min(high + REACH, air_cells.xy));
    for (int y = max(block.y - 1, 0); y <= min(block.y + 1, air_blocks.y - 1); y++) {
        for (int x = max(block.x - 1, 0); x <= min(block.x + 1, air_blocks.x - 1); x++) {
            stale = stale || active_blocks(ivec2(x, y)) != columns_blocks_before(first_column(ivec2(x, y)));
        }
    }
    set_columns_stale(first_column(block.xy), uint(stale));
}

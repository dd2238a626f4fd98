#version 460
#include "stage.glsl"
#include "snow/active_blocks.glsl"

#pragma reads columns.solid columns.solid_before
#pragma writes columns.blocks_before columns.stale
#pragma requests air
#pragma arguments air.layers_above
// Every rank finds the blocks of the whole domain, before every rebuild alone: it reads nothing that ranks share.
#pragma whole

// Asks for the blocks that hold air, or a cell next to air (so that every cell of air has all its neighbours),
// unless they are entirely higher than arg.layers_above metres over the highest solid cell of their footprint. The
// sky above and the rock below are never backed by memory.
//
// The lowest block of each column of blocks looks at the columns of all of them, widened by one cell. For find_stale, it
// keeps which blocks are active so far, and whether a cell became solid or was uncovered.
void stage(ivec3 block) {
    if (block.z != 0) {
        return;
    }
    set_columns_blocks_before(first_column(block.xy), active_blocks(block.xy));
    ivec2 first = max(block.xy * air_block_cells.xy - 1, ivec2(0));
    ivec2 end = min((block.xy + 1) * air_block_cells.xy + 1, air_cells.xy);
    int lowest = air_cells.z, highest = 0;  // solid cells of a column
    int moved = 0;
    for (int y = first.y; y < end.y; y++) {
        for (int x = first.x; x < end.x; x++) {
            int solid = columns_solid(ivec2(x, y));
            lowest = min(lowest, solid);
            highest = max(highest, solid);
            moved |= solid ^ columns_solid_before(ivec2(x, y));
        }
    }
    set_columns_stale(first_column(block.xy), uint(moved != 0));
    for (int z = 0; z < air_blocks.z; z++) {
        int bottom = z * air_block_cells.z;
        int top = min(bottom + air_block_cells.z, air_cells.z - 1);  // the highest cell in reach of its cells
        bool near = float(bottom - highest) * air_dx <= arg.layers_above;
        if (top >= lowest && near) {
            request_air_block(ivec3(block.xy, z));
        }
    }
}

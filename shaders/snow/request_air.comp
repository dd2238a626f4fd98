#version 460
#include "stage.glsl"
#include "snow/surface.glsl"

#pragma reads ground.elevation ground.snow
#pragma requests air
#pragma arguments air.layers_above
// Every rank finds the blocks of the whole domain, before every rebuild alone: it reads nothing that ranks share.
#pragma whole

// Asks for the blocks that hold air, or a cell next to air (so that every cell of air has all its neighbours),
// unless they are entirely higher than arg.layers_above metres over the highest surface of their footprint. The
// sky above and the rock below are never backed by memory.
//
// The lowest block of each column of blocks looks at the surface under all of them, widened by one cell.
void stage(ivec3 block) {
    if (block.z != 0) {
        return;
    }
    ivec2 first = max(block.xy * air_block_cells.xy - 1, ivec2(0));
    ivec2 end = min((block.xy + 1) * air_block_cells.xy + 1, air_cells.xy);
    float lowest = surface_height(air_position(ivec3(first, 0)).xy), highest = lowest;
    for (int y = first.y; y < end.y; y++) {
        for (int x = first.x; x < end.x; x++) {
            float surface = surface_height(air_position(ivec3(x, y, 0)).xy);
            lowest = min(lowest, surface);
            highest = max(highest, surface);
        }
    }
    for (int z = 0; z < air_blocks.z; z++) {
        int bottom = z * air_block_cells.z;
        int top = min(bottom + air_block_cells.z, air_cells.z - 1);  // the highest cell in reach of its cells
        bool air = air_position(ivec3(first, top)).z > lowest;
        bool near = air_position(ivec3(first, bottom)).z - 0.5 * air_dx <= highest + arg.layers_above;
        if (air && near) {
            request_air_block(ivec3(block.xy, z));
        }
    }
}

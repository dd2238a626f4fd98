#version 460
#include "stage.glsl"
#include "render/smoke_blocks.glsl"

#pragma reads grid.density
#pragma writes blocks.occupied
#pragma reach grid_density anywhere

// Marks blocks of cells with smoke, also those that interpolation reaches from a cell with smoke.
void stage(ivec3 block) {
    ivec3 low = max(BLOCK * block - 1, ivec3(0)), high = min(BLOCK * (block + 1) + 1, grid_cells);
    bool found = false;
    for (int z = low.z; z < high.z && !found; z++) {
        for (int y = low.y; y < high.y && !found; y++) {
            for (int x = low.x; x < high.x && !found; x++) {
                found = grid_density(ivec3(x, y, z)) > LEAST_DENSITY;
            }
        }
    }
    set_blocks_occupied(block, uint(found));
}

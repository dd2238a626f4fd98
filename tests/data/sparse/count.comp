#version 460
#include "stage.glsl"

// Cells and the sum of their hits, over the sub-blocks that are there.
void stage(uint i, ivec3 first_cell) {
    uint cells = 0u, hits = 0u;
    ivec3 end = min(first_cell + g_sub_cells, g_cells);
    for (int z = first_cell.z; z < end.z; z++) {
        for (int y = first_cell.y; y < end.y; y++) {
            for (int x = first_cell.x; x < end.x; x++) {
                cells++;
                hits += g_hits(ivec3(x, y, z));
            }
        }
    }
    add_total(0u, cells);
    add_total(1u, hits);
}

#version 460
#include "stage.glsl"

// Copies a channel of a sparse grid, cell by cell, for an output.
void stage(ivec3 cell) {
#ifdef grid_channel_entries
    for (uint k = 0u; k < grid_channel_entries; k++) {
        set_grid_whole(cell, k, grid_channel(cell, k));
    }
#else
    set_grid_whole(cell, grid_channel(cell));
#endif
}

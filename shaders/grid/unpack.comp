#version 460
#include "stage.glsl"

// A channel of a sparse grid, cell by cell, for an output.
void stage(ivec3 cell) {
    set_grid_whole(cell, grid_channel(cell));
}

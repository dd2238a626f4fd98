#version 460
#include "stage.glsl"

#pragma writes grid.first grid.end

// No cell has particles.
void stage(ivec3 cell) {
    set_grid_first(cell, 0u);
    set_grid_end(cell, 0u);
}

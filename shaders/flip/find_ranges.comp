#version 460
#include "stage.glsl"
#include "flip/cells.glsl"

#pragma reads matter.cell
#pragma writes grid.first grid.end
#pragma reach matter_cell 1
#pragma reach grid_first 0
#pragma reach grid_end 0

// The range of each cell's particles in the sorted list; 0 and 0 for cells without particles.
void stage(uint i) {
    uint key = matter_cell(i);
    ivec3 cell = cell_of(key, grid_cells);
    if (i == matter_held_first || matter_cell(i - 1u) != key) {
        set_grid_first(cell, i);
    }
    if (i + 1u == matter_held_end || matter_cell(i + 1u) != key) {
        set_grid_end(cell, i + 1u);
    }
}

#version 460
#include "stage.glsl"
#include "flip/cells.glsl"

#pragma reads matter.cell
#pragma writes grid.first grid.end
#pragma reach matter_cell 1

// Where the particles of each cell begin and end in the sorted list. Cells without any keep 0 and 0.
void stage(uint i) {
    uint key = matter_cell(i);
    ivec3 cell = cell_of(key, grid_cells);
    if (i == 0u || matter_cell(i - 1u) != key) {
        set_grid_first(cell, i);
    }
    if (i + 1u == matter_count || matter_cell(i + 1u) != key) {
        set_grid_end(cell, i + 1u);
    }
}

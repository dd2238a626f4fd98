#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.cell_type
#pragma writes value
#pragma arguments solids
#pragma argument int axis
#pragma reach grid_cell_type 1

// Faces that a solid touches get the velocity of the solid, arg.solids (m/s).
STAGE_IN_SPACE {
    ivec3 last = space_size(grid_cells) - 1, low = cell;
    low[arg.axis] -= 1;
    if (grid_cell_type(AT(clamp(low, ivec3(0), last))) == SOLID_CELL
        || grid_cell_type(AT(clamp(cell, ivec3(0), last))) == SOLID_CELL) {
        set_value(AT(cell), arg.solids[arg.axis]);
    }
}

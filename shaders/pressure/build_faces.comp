#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/cell_types.glsl"

// The faces of each cell from the types of cells: a face is open if no solid touches it. On a side of the domain,
// arg.low and arg.high say what is there.

uint type_of(ivec3 cell) {
    return grid_cell_type(AT(cell));
}

STAGE_IN_SPACE {
    ivec3 last = space_size(grid_cells) - 1;
    uint own = type_of(cell);
    uint word = own == FLUID_CELL ? FLUID : own == AIR_CELL ? AIR : 0u;
    if (own != SOLID_CELL) {
        for (int axis = 0; axis < 3; axis++) {
            ivec3 low = cell;
            low[axis] = cell[axis] > 0 ? cell[axis] - 1 : last[axis];
            bool joined = cell[axis] > 0 || arg.low[axis] == PERIODIC_SIDE;
            word |= joined && type_of(low) != SOLID_CELL ? 128u << (8 * axis) : 0u;
            word |= cell[axis] == 0 && arg.low[axis] == OPEN_SIDE ? 1u << (26 + 2 * axis) : 0u;
            word |= cell[axis] == last[axis] && arg.high[axis] == OPEN_SIDE ? 1u << (27 + 2 * axis) : 0u;
        }
    }
    set_grid_faces(AT(cell), word);
}

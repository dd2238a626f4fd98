// The faces of each cell from the types of cells: a face is open if no solid touches it. On a side of the domain,
// arg.low and arg.high say what is there. The stage defines `uint open_part(ivec3 cell, ivec3 beside, int face)`, the
// bits of an open face, before it includes this. Beyond an open side there is no cell: `beside` is the cell itself.
#include "pressure/cell_types.glsl"

bool is_solid(ivec3 cell) {
    return grid_cell_type(AT(cell)) == SOLID_CELL;
}

STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    uint word = 0u;
    if (!is_solid(cell)) {
        word = grid_cell_type(AT(cell)) == FLUID_CELL ? FLUID : 0u;
        for (int face = 0; face < 6; face++) {
            int axis = face / 2, way = 2 * (face & 1) - 1;
            int side = way < 0 ? arg.low[axis] : arg.high[axis];
            ivec3 beside = cell;
            beside[axis] += way;
            bool inside = beside[axis] >= 0 && beside[axis] < size[axis];
            bool meets = inside || side == PERIODIC_SIDE;
            beside[axis] = meets ? (beside[axis] + size[axis]) % size[axis] : cell[axis];
            bool open = meets ? !is_solid(beside) : side == OPEN_SIDE;
            word |= open ? open_part(cell, beside, face) << 5 * face : 0u;
            word |= open && !inside && side == OPEN_SIDE ? AT_OPEN_SIDE : 0u;
        }
    }
    set_grid_faces(AT(cell), word);
}

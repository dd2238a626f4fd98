#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/cell_types.glsl"

// With periodic sides the last face across arg.axis is the first one.
STAGE_IN_SPACE {
    if (arg.sides_low[arg.axis] == PERIODIC_SIDE && cell[arg.axis] == space_size(grid_cells)[arg.axis]) {
        ivec3 first = cell;
        first[arg.axis] = 0;
        set_value(AT(cell), value(AT(first)));
    }
}

#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

// Gives the outermost cells the type of their side, arg.low or arg.high, unless it is 0. Where sides meet, walls at rest go
// before walls that move, and those before boundaries.
STAGE_IN_SPACE {
    ivec3 last = space_size(grid_cells) - 1;
    int type = 7;
    for (int axis = 0; axis < 3; axis++) {
        int low = cell[axis] == 0 ? arg.low[axis] : 0, high = cell[axis] == last[axis] ? arg.high[axis] : 0;
        type = low != 0 && (low & 7) < (type & 7) ? low : type;
        type = high != 0 && (high & 7) < (type & 7) ? high : type;
    }
    if (type != 7) {
        set_grid_cell_type(AT(cell), uint(type));
    }
}

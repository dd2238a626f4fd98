#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

#pragma writes grid.cell_type
#pragma arguments sides heat.held_low heat.held_high
#pragma argument ivec3 low
#pragma argument ivec3 high

// Sets the type of the outermost cells to that of their side, arg.low or arg.high, unless it is periodic. At edges and
// corners walls at rest take precedence over moving walls, and walls over boundaries.
STAGE_IN_SPACE {
    ivec3 last = space_size(grid_cells) - 1;
    uint type = TYPE, held = 0u;
    for (int k = 0; k < 6; k++) {
        int axis = k / 2;
        bool is_high = k % 2 != 0;
        uint side = uint(is_high ? arg.high[axis] : arg.low[axis]);
        if (cell[axis] == (is_high ? last[axis] : 0) && side != 0u && side < type) {
            type = side;
            held = (is_high ? arg.held_high[axis] : arg.held_low[axis]) != 0.0 ? HELD_HEAT : 0u;
        }
    }
    if (type != TYPE) {
        set_grid_cell_type(AT(cell), type | held);
    }
}

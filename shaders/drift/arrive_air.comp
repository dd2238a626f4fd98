#version 460
#include "stage.glsl"
#include "drift/part.glsl"
#include "pressure/sides.glsl"

#pragma reads grid.leaving grid.suspended
#pragma writes grid.suspended gone
#pragma adds gone
#pragma reach grid_leaving 1 0

DEFINE_COUNT(count_gone, gone)

// Ends the move of suspended snow: what leaves a cell arrives at its neighbour; beyond a side that is not periodic it is gone.
void stage(ivec3 cell) {
    uint snow = grid_suspended(cell), lost = 0u;
    for (uint side = 0u; side < 6u; side++) {
        uint axis = side >> 1u;
        snow -= grid_leaving(cell, side);
        ivec3 other = cell;
        other[axis] += (side & 1u) != 0u ? 1 : -1;
        bool inside = other[axis] >= 0 && other[axis] < grid_cells[axis];
        if (inside || arg.low[axis] == PERIODIC_SIDE) {
            other[axis] = (other[axis] + grid_cells[axis]) % grid_cells[axis];
            snow += grid_leaving(other, side ^ 1u);
        } else {
            lost += grid_leaving(cell, side);
        }
    }
    count_gone(lost);
    set_grid_suspended(cell, snow);
}

#version 460
#include "stage.glsl"

#pragma reads grid.u grid.v
#pragma writes grid.vorticity
#pragma reach grid_u 2
#pragma reach grid_v 2

// The vorticity dv/dx - du/dy of a plane flow at the centres of cells, 1/s, from the mean velocities of the cells around; at
// a side of the domain from the cell itself and the one inside.
vec2 mean(ivec2 cell) {
    return 0.5 * vec2(grid_u(cell) + grid_u(cell + ivec2(1, 0)), grid_v(cell) + grid_v(cell + ivec2(0, 1)));
}

void stage(ivec2 cell) {
    ivec2 low = max(cell - 1, ivec2(0)), high = min(cell + 1, grid_cells - 1);
    vec2 spans = grid_dx * vec2(high - low);
    float across = mean(ivec2(high.x, cell.y)).y - mean(ivec2(low.x, cell.y)).y;
    float along = mean(ivec2(cell.x, high.y)).x - mean(ivec2(cell.x, low.y)).x;
    set_grid_vorticity(cell, across / spans.x - along / spans.y);
}

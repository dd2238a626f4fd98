#version 460
#include "stage.glsl"

#pragma reads grid.u
#pragma writes grid.vorticity
#pragma reach grid_u 1

// The vorticity of a plane flow by central differences, 1/s; one-sided at the border.
void stage(ivec2 cell) {
    ivec2 low = max(cell - 1, ivec2(0)), high = min(cell + 1, grid_cells - 1);
    float rise = grid_u(ivec2(high.x, cell.y)).y - grid_u(ivec2(low.x, cell.y)).y;
    float run = grid_u(ivec2(cell.x, high.y)).x - grid_u(ivec2(cell.x, low.y)).x;
    set_grid_vorticity(cell, (rise / float(high.x - low.x) - run / float(high.y - low.y)) / grid_dx);
}

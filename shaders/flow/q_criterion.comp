#version 460
#include "stage.glsl"
#include "flow/q.glsl"

#pragma reads grid.u
#pragma writes grid.q
#pragma reach grid_u 1

// Q of velocities at centres, by central differences; at the border one-sided ones. There must be two cells along each axis.
vec3 change(ivec3 cell, int axis) {
    ivec3 low = cell, high = cell;
    low[axis] = max(cell[axis] - 1, 0);
    high[axis] = min(cell[axis] + 1, grid_cells[axis] - 1);
    return (grid_u(high) - grid_u(low)) / (float(high[axis] - low[axis]) * grid_spacing[axis]);
}

void stage(ivec3 cell) {
    set_grid_q(cell, q_of(mat3(change(cell, 0), change(cell, 1), change(cell, 2))));
}

#version 460
#include "stage.glsl"
#include "pressure/gradient.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.u grid.v grid.w grid.p grid.faces grid.plain
#pragma writes grid.u grid.v grid.w
#pragma arguments density
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// apply_pressure_gradient.comp for the three axes at once, in a grid of one density.

// dt / (rho h)
float factor;

float change_of(ivec3 face, int axis) {
    Gradient p = gradient_across(face, axis);
    return factor * p.coefficient * p.difference;
}

void stage(ivec3 cell) {
    factor = clock.dt / (arg.density * grid_dx);
    float u = grid_u(cell), v = grid_v(cell), w = grid_w(cell);
    vec3 change;
    // Only the first cell of a plain row may be at a side. All loads come before the first store.
    if ((MARKS(cell) & PLAIN_BUT_ENDS) != 0u && cell.x > 0) {
        vec3 low_p = vec3(grid_p(cell - ivec3(1, 0, 0)), grid_p(cell - ivec3(0, 1, 0)), grid_p(cell - ivec3(0, 0, 1)));
        change = factor * (grid_p(cell) - low_p);
    } else {
        change = vec3(change_of(cell, 0), change_of(cell, 1), change_of(cell, 2));
    }
    set_grid_u(cell, u - change.x);
    set_grid_v(cell, v - change.y);
    set_grid_w(cell, w - change.z);
    // At the end of an axis also the high face, which on a periodic axis is the first one. Sparse grids have no faces beyond
    // their last cells.
#ifndef HAS_grid_axes
#define APPLY_END(AXIS, C) \
    if (cell[AXIS] == grid_cells[AXIS] - 1 && arg.low[AXIS] != PERIODIC_SIDE) { \
        ivec3 high = cell; \
        high[AXIS] += 1; \
        set_grid_##C(high, grid_##C(high) - change_of(high, AXIS)); \
    }
    APPLY_END(0, u)
    APPLY_END(1, v)
    APPLY_END(2, w)
#endif
}

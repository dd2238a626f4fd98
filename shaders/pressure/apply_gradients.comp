#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.u grid.v grid.w grid.p grid.faces grid.plain
#pragma writes grid.u grid.v grid.w
#pragma arguments density
#pragma reach grid_p 1
#pragma reach grid_faces 1
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// apply_pressure_gradient.comp for the three axes at once, in a grid of one density.

// The difference of pressure across a face, times its coefficient; 0 where the face does not move.
float difference(ivec3 cell, int axis) {
    ivec3 low = cell, high = cell;
    int last = grid_cells[axis] - 1;
    bool first = cell[axis] == 0, beyond = cell[axis] > last;
    low[axis] = first ? last : cell[axis] - 1;
    high[axis] = beyond ? last : cell[axis];
    uint low_word = grid_faces(low), high_word = grid_faces(high);
    float low_p = grid_p(low), high_p = grid_p(high);
    uint open = part_of(high_word, 2 * axis + (beyond ? 1 : 0));
    bool fluid = is_fluid(low_word) || is_fluid(high_word);
    if (beyond || first && arg.low[axis] != PERIODIC_SIDE) {
        fluid = is_fluid(high_word);
        low_p = beyond ? high_p : 0.0;
        high_p = beyond ? 0.0 : high_p;
    }
    return open != 0u && fluid ? max(part(open), 1.0) * (high_p - low_p) : 0.0;
}

void stage(ivec3 cell) {
    float factor = clock.dt / (arg.density * grid_dx);
    vec3 change;
    float u = grid_u(cell), v = grid_v(cell), w = grid_w(cell);
    // Only the first cell of a plain row may be at a side. All loads come before the first store.
    if ((MARKS(cell) & PLAIN_BUT_ENDS) != 0u && cell.x > 0) {
        change = grid_p(cell) - vec3(grid_p(cell - ivec3(1, 0, 0)), grid_p(cell - ivec3(0, 1, 0)), grid_p(cell - ivec3(0, 0, 1)));
    } else {
        change = vec3(difference(cell, 0), difference(cell, 1), difference(cell, 2));
    }
    set_grid_u(cell, u - factor * change.x);
    set_grid_v(cell, v - factor * change.y);
    set_grid_w(cell, w - factor * change.z);
    // At the end of an axis also the high face, which on a periodic axis is the first one.
#define APPLY_END(AXIS, C) \
    if (cell[AXIS] == grid_cells[AXIS] - 1 && arg.low[AXIS] != PERIODIC_SIDE) { \
        ivec3 high = cell; \
        high[AXIS] += 1; \
        set_grid_##C(high, grid_##C(high) - factor * difference(high, AXIS)); \
    }
    APPLY_END(0, u)
    APPLY_END(1, v)
    APPLY_END(2, w)
}

#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"
#include "flow/q.glsl"

#pragma reads grid.u grid.cell_type
#pragma writes grid.q grid.speed
#pragma reach grid_u 1

// Q of the flow, 1/s^2, and its speed, m/s. There are no vortices at the border and beside walls.
void stage(ivec3 cell) {
    bool inside = all(greaterThan(cell, ivec3(1))) && all(lessThan(cell, grid_cells - 2));
    float q = 0.0;
    if (inside && (grid_cell_type(cell) & (TYPE | BESIDE_WALL)) == FLUID_CELL) {
        mat3 change = mat3(grid_u(cell + ivec3(1, 0, 0)) - grid_u(cell - ivec3(1, 0, 0)),
                           grid_u(cell + ivec3(0, 1, 0)) - grid_u(cell - ivec3(0, 1, 0)),
                           grid_u(cell + ivec3(0, 0, 1)) - grid_u(cell - ivec3(0, 0, 1)));
        q = q_of(change * (0.5 / grid_dx));
    }
    set_grid_q(cell, q);
    set_grid_speed(cell, length(grid_u(cell)));
}

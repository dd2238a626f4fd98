#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"

#pragma reads grid.f grid.cell_type grid.u
#pragma reduces sum force torque
#pragma arguments pace centre force_unit
#pragma alternates grid_f last
#pragma reach grid_cell_type 1
#pragma reach grid_u 1
#pragma keeps grid_u grid_cell_type

// Force and torque on moving walls by momentum exchange (Ladd 1994): populations entering a wall after the last step, minus
// those that will return. Forces in units of a step and a cell; torque about arg.centre, in cells. It runs in `frame`.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell));
    if ((word & BESIDE_WALL) == 0u || (word & TYPE) == GAS_CELL) {
        return;
    }
    // The last step was an even one if their number is odd.
    uint odd = 1u - (clock.step & 1u);
    Around at = around(cell);
    vec3 here = vector_in_space(grid_position(AT(cell))) - arg.centre;
    vec3 force = vec3(0.0), torque = vec3(0.0);
#define EXCHANGE(I, X, Y, Z, W) { \
        vec3 c = vec3(X, Y, Z); \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        if (type_at(next) == MOVING_CELL) { \
            vec3 part = (2.0 * f_at(next, I + odd) - 6.0 * W * along(X, Y, Z, held_velocity(next))) * c; \
            force += part; \
            torque += cross(here + 0.5 * grid_dx * c, part); \
        } \
        if (type_at(last) == MOVING_CELL) { \
            vec3 part = -(2.0 * f_at(cell, I + 1u - odd) + 6.0 * W * along(X, Y, Z, held_velocity(last))) * c; \
            force += part; \
            torque += cross(here - 0.5 * grid_dx * c, part); \
        } \
    }
    EACH_PAIR(EXCHANGE)
    sum_force(arg.force_unit * force);
    sum_torque(arg.force_unit * torque);
}

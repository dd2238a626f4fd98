#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"

// Force and torque on the bodies by momentum exchange (Ladd 1994): what goes into a wall after the last step, less what will come
// back. Forces in units of a step and a cell; torque about arg.centre, in cells. It runs in `frame`.
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
        if (type_at(next) == BODY_CELL) { \
            vec3 part = (2.0 * f_at(next, I + odd) - 6.0 * W * along(X, Y, Z, held_velocity(next))) * c; \
            force += part; \
            torque += cross(here + 0.5 * grid_dx * c, part); \
        } \
        if (type_at(last) == BODY_CELL) { \
            vec3 part = -(2.0 * f_at(cell, I + 1u - odd) + 6.0 * W * along(X, Y, Z, held_velocity(last))) * c; \
            force += part; \
            torque += cross(here - 0.5 * grid_dx * c, part); \
        } \
    }
    EACH_PAIR(EXCHANGE)
    sum_force(arg.unit * force);
    sum_torque(arg.unit * torque);
}

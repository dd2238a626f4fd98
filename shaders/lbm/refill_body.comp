#version 460
#include "stage.glsl"
#include "lbm/populations.glsl"

#pragma reads grid.cell_type grid.f grid.u
#pragma writes grid.f grid.rho
#pragma reduces sum left left_torque
#pragma arguments pace centre force_unit
#pragma alternates grid_f
#pragma reach grid_f 2 1
#pragma reach grid_cell_type 1

// Sets uncovered cells to equilibrium with the velocity of the wall and the mean density of the fluid around them. Only
// outgoing populations are set, as after a step; the incoming ones are the populations that the fluid sent to the wall.
STAGE_IN_SPACE {
    if (type_at(cell) != LEFT_CELL) {
        return;
    }
    uint odd = clock.step & 1u;
    Around at = around(cell);
    float sum = 0.0;
    int fluids = 0;
#define GATHER(OTHER) { \
        Around there = around(OTHER); \
        float excess = f_at(there.cell, 0u); \
        EACH_PAIR(LEFT_BEHIND) \
        sum += excess; \
        fluids++; \
    }
#define LEFT_BEHIND(I, X, Y, Z, W) excess += f_at(beside(there, X, Y, Z), I + odd) + f_at(there.cell, I + 1u - odd);
    for (int k = 0; k < 27; k++) {
        ivec3 other = beside(at, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        if (type_at(other) == FLUID_CELL) GATHER(other)
    }
    float rho = 1.0 + sum / float(max(fluids, 1));
    vec3 u = held_velocity(cell);
    set_grid_rho(AT(cell), rho);
    float rest = rho - 1.0 - 1.5 * rho * dot(u, u);
    set_grid_f(AT(cell), 0u, SCALE * REST * rest);
#define PLACE(I, X, Y, Z, W) { \
        float cu = along(X, Y, Z, u); \
        set_grid_f(AT(beside(at, X, Y, Z)), I + odd, SCALE * W * (rest + rho * (4.5 * cu * cu + 3.0 * cu))); \
        set_grid_f(AT(cell), I + 1u - odd, SCALE * W * (rest + rho * (4.5 * cu * cu - 3.0 * cu))); \
    }
    EACH_PAIR(PLACE)
    sum_left(arg.force_unit * rho * u);
    sum_left_torque(arg.force_unit * cross(vector_in_space(grid_position(AT(cell))) - arg.centre, rho * u));
}

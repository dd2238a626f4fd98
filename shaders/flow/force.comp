#version 460
#include "stage.glsl"
#include "flow/momentum.glsl"

#pragma reads grid.faces grid.p grid.u grid.v grid.w
#pragma reduces sum force
#pragma arguments density
#pragma reach grid_p 1

// The force of the flow on the solid cells: the fluxes across the sides of the volumes of their faces by pressure,
// convection and viscosity, as in rate.glsl. The solid gains what the fluid loses, to rounding. Over the density: m^4/s^2;
// in a plane, for each metre of depth, m^3/s^2.
STAGE_IN_SPACE {
    ivec3 low = cell - unit(arg.axis);
    ivec3 last = space_size(grid_cells) - 1;
    bool inside = low[arg.axis] >= 0 && cell[arg.axis] <= last[arg.axis];
    uint low_word = word_at(low), high_word = word_at(cell);
    float force = 0.0;
    if (inside && (is_solid(low_word) || is_solid(high_word))) {
        for (int along = 0; along < AXES; along++) {
            for (int way = -1; way <= 1; way += 2) {
                ivec3 next = cell;
                next[along] += way;
                bool there = next[along] >= 0 && next[along] <= last[along] + (along == arg.axis ? 1 : 0);
                if (there && moves(next, arg.axis)) {
                    force += -float(way) * momentum_flux(next, arg.axis, along, -way, velocity(arg.axis, next));
                }
            }
        }
        force += ((is_fluid(low_word) ? grid_p(AT(low)) : 0.0) - (is_fluid(high_word) ? grid_p(AT(cell)) : 0.0)) / arg.density;
    }
    float area = AXES == 3 ? grid_dx * grid_dx : grid_dx;
    sum_force(area * force);
}

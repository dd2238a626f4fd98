#version 460
#include "stage.glsl"
#include "lbm/heat.glsl"

#pragma reads grid.g grid.cell_type grid.heat
#pragma reduces sum entered
#pragma arguments heat.neutral heat_unit
#pragma alternates grid_g last
#pragma reach grid_cell_type 1
#pragma reach grid_heat 1
#pragma keeps grid_heat grid_cell_type

// The heat that moving walls of a given temperature gave to the fluid in the last step, over density and heat capacity. It runs in
// `frame`.
STAGE_IN_SPACE {
    if ((grid_cell_type(AT(cell)) & BESIDE_WALL) == 0u) {
        return;
    }
    // The last step was an even one if their number is odd.
    uint odd = 1u - (clock.step & 1u);
    Around at = around(cell);
    float entered = 0.0;
#define HEATED(CELL) ((grid_cell_type(AT(CELL)) & (TYPE | HELD_HEAT)) == (MOVING_CELL | HELD_HEAT))
#define ENTER(I, X, Y, Z, W) { \
        ivec3 next = beside(at, X, Y, Z), last = beside(at, -(X), -(Y), -(Z)); \
        if (HEATED(next)) entered += 2.0 * (W * (grid_heat(AT(next)) - arg.neutral) - grid_g(AT(next), I + odd)); \
        if (HEATED(last)) entered += 2.0 * (W * (grid_heat(AT(last)) - arg.neutral) - grid_g(AT(cell), I + 1u - odd)); \
    }
    EACH_PAIR(ENTER)
    sum_entered(arg.heat_unit * entered);
}

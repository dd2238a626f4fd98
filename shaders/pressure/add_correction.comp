#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/two_floats.glsl"

#pragma reads grid.p grid.p_high grid.p_low
#pragma writes grid.p_high grid.p_low

// Adds the pressure of a round to the pair.
STAGE_IN_SPACE {
    Pair sum = plus(Pair(grid_p_high(AT(cell)), grid_p_low(AT(cell))), grid_p(AT(cell)));
    set_grid_p_high(AT(cell), sum.high);
    set_grid_p_low(AT(cell), sum.low);
}

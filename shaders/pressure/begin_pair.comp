#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.p grid.b
#pragma writes grid.p_high grid.p_low grid.whole_b

// The first guess as a pair of floats, and the right side of all rounds.
STAGE_IN_SPACE {
    set_grid_p_high(AT(cell), grid_p(AT(cell)));
    set_grid_p_low(AT(cell), 0.0);
    set_grid_whole_b(AT(cell), grid_b(AT(cell)));
}

#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.p_high grid.whole_b
#pragma writes grid.p grid.b

// The high part of the pressure, and b as it was before the rounds.
STAGE_IN_SPACE {
    set_grid_p(AT(cell), grid_p_high(AT(cell)));
    set_grid_b(AT(cell), grid_whole_b(AT(cell)));
}

#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.value grid.kernel
#pragma writes grid.pair

// One complex field, of which the transform holds both.
STAGE_IN_SPACE {
    set_grid_pair(AT(cell), vec2(grid_value(AT(cell)), grid_kernel(AT(cell))));
}

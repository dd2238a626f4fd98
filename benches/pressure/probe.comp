#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma writes grid.p

// The pressure is 1 in the cells of one of seven colours, 0 elsewhere. The colour is the step number. A cell and its
// neighbours have different colours, even across periodic sides if the number of cells is a multiple of seven.
STAGE_IN_SPACE {
    set_grid_p(AT(cell), (cell.x + 2 * cell.y + 3 * cell.z) % 7 == int(clock.step) ? 1.0 : 0.0);
}

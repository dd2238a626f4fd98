#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma reads grid.spin
#pragma writes grid.spin
#pragma argument int color
#pragma arguments accept
#pragma reach grid_spin 1 0

// The Metropolis step of one colour of a checkerboard (Metropolis et al. 1953; docs/examples.md, equation 6): the neighbours of
// its spins have the other colour, so all of them may flip at once. A flip raises the energy by 2 k J for k = spin times the sum
// of the neighbours; arg.accept are its probabilities for k = 2 and 4, computed by the host, so that results do not depend on
// the device's exp.
const uint PURPOSE_FLIP = 0x6973696eu;

void stage(ivec2 cell) {
    if (((cell.x + cell.y) & 1) != arg.color) {
        return;
    }
    int spin = grid_spin(cell);
    int around = grid_spin(cell + ivec2(1, 0)) + grid_spin(cell - ivec2(1, 0)) + grid_spin(cell + ivec2(0, 1))
               + grid_spin(cell - ivec2(0, 1));
    int k = spin * around;
    float accept = k <= 0 ? 1.0 : k == 2 ? arg.accept.x : arg.accept.y;
    uint number = uint(cell.y * grid_cells.x + cell.x);
    if (random4(number, clock.step, PURPOSE_FLIP, clock.seed).x < accept) {
        set_grid_spin(cell, -spin);
    }
}

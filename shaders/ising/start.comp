#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes grid.spin
#pragma arguments up

// Independent spins: each is +1 with the probability arg.up.
const uint PURPOSE_START = 0x73746172u;

void stage(ivec2 cell) {
    uint number = uint(cell.y * grid_cells.x + cell.x);
    set_grid_spin(cell, random4(number, 0u, PURPOSE_START, clock.seed).x < arg.up ? 1 : -1);
}

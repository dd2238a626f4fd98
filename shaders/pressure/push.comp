#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

// The pressure accelerates the fluid: u -= dt / (rho h) (p_high - p_low) on the open faces across arg.axis that fluid touches.
// Beyond an open side of the domain the pressure is 0. With the pressure of b - A p = r, what flows out of a cell is
// dt r / (rho h) afterwards.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells), low = cell, high = cell;
    int last = size[arg.axis] - 1;
    bool first = cell[arg.axis] == 0, beyond = cell[arg.axis] > last;
    low[arg.axis] = first ? last : cell[arg.axis] - 1;
    high[arg.axis] = beyond ? last : cell[arg.axis];
    uint low_word = grid_faces(AT(low)), high_word = grid_faces(AT(high));
    float low_p = grid_p(AT(low)), high_p = grid_p(AT(high));
    bool open = (high_word >> (8 * arg.axis) & 255u) != 0u && !beyond;
    bool fluid = is_fluid(low_word | high_word);
    if (beyond || (first && !open)) {
        // A side of the domain that is not periodic.
        open = (high_word >> (beyond ? 27 : 26) + 2 * arg.axis & 1u) != 0u;
        fluid = is_fluid(high_word);
        low_p = beyond ? high_p : 0.0;
        high_p = beyond ? 0.0 : high_p;
    }
    if (open && fluid) {
        set_value(AT(cell), value(AT(cell)) - clock.dt / (arg.density * grid_dx) * (high_p - low_p));
    }
}

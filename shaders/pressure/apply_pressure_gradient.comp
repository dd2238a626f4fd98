#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"

#pragma reads value grid.p grid.faces grid.relative_density
#pragma writes value
#pragma arguments density
#pragma argument int axis
#pragma reach grid_p 1
#pragma reach grid_faces 1

// The pressure accelerates the fluid: u -= dt / (rho h) (p_high - p_low) on the open faces across arg.axis that fluid touches.
// Beyond an open side of the domain the pressure is 0. If the air is nearer than the next centre, the gradient grows in
// proportion. With the pressure of b - A p = r, the outflow of a cell is
// dt r / (rho h) afterwards. For a variable density, arg.density is the reference.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells), low = cell, high = cell;
    int last = size[arg.axis] - 1;
    bool first = cell[arg.axis] == 0, beyond = cell[arg.axis] > last;
    low[arg.axis] = first ? last : cell[arg.axis] - 1;
    high[arg.axis] = beyond ? last : cell[arg.axis];
    uint low_word = grid_faces(AT(low)), high_word = grid_faces(AT(high));
    float low_p = grid_p(AT(low)), high_p = grid_p(AT(high));
    uint open = part_of(high_word, 2 * arg.axis + (beyond ? 1 : 0));
    bool fluid = is_fluid(low_word) || is_fluid(high_word);
    if (beyond || first && arg.low[arg.axis] != PERIODIC_SIDE) {
        fluid = is_fluid(high_word);
        low_p = beyond ? high_p : 0.0;
        high_p = beyond ? 0.0 : high_p;
    }
    if (open != 0u && fluid) {
        float steeper = max(part(open), 1.0);
#if HAS_grid_relative_density
        bool inside = !beyond && (!first || arg.low[arg.axis] == PERIODIC_SIDE);
        float own = uintBitsToFloat(density_at(high));
        steeper *= over_density(own, inside ? uintBitsToFloat(density_at(low)) : 0.0);
#endif
        set_value(AT(cell), value(AT(cell)) - clock.dt / (arg.density * grid_dx) * steeper * (high_p - low_p));
    }
}

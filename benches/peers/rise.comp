#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads value grid.density
#pragma writes value
#pragma arguments lift
#pragma argument int axis
#pragma reach grid_density 1

// Buoyancy on the faces across arg.axis: dt arg.lift times the mean density of the two cells; at a side, of the cell inside.
STAGE_IN_SPACE {
    ivec3 last = space_size(grid_cells) - 1, low = cell;
    low[arg.axis] -= 1;
    float mean = 0.5 * (grid_density(AT(clamp(low, ivec3(0), last))) + grid_density(AT(min(cell, last))));
    set_value(AT(cell), value(AT(cell)) + clock.dt * arg.lift * mean);
}

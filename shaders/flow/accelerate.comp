#version 460
#include "stage.glsl"
#include "flow/open.glsl"

#pragma reads value grid.force grid.faces
#pragma writes value
#pragma argument int axis
#pragma reach grid_force 1

// The force at the centres of cells (m/s^2) accelerates the faces between them.
STAGE_IN_SPACE {
    if (moves(cell, arg.axis)) {
        ivec3 last = space_size(grid_cells) - 1;
        vec3 low = grid_force(AT(clamp(cell - unit(arg.axis), ivec3(0), last))), high = grid_force(AT(min(cell, last)));
        set_value(AT(cell), value(AT(cell)) + clock.dt * 0.5 * (low[arg.axis] + high[arg.axis]));
    }
}

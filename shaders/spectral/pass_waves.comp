#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/phases.glsl"

#pragma reads grid.value
#pragma writes grid.value
#pragma arguments fine coarse sides
#pragma argument ivec3 low
#pragma argument ivec3 high

// Each wave times exp(-(k fine)^2 / 2) - exp(-(k coarse)^2 / 2); without a coarse length the second part is 0.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    vec3 spacing = spacing_in_space(grid_spacing);
    float square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        float k = phase(cell[axis], size[axis], arg.low[axis], arg.high[axis]) / spacing[axis];
        square += axis < 2 || size.z > 1 ? k * k : 0.0;
    }
    float passed = exp(-0.5 * square * arg.fine * arg.fine);
    passed -= arg.coarse > 0.0 ? exp(-0.5 * square * arg.coarse * arg.coarse) : 0.0;
    set_grid_value(AT(cell), passed * grid_value(AT(cell)));
}

#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/waves.glsl"

#pragma reads grid.value sum
#pragma writes grid.wave
#pragma arguments window

// The value less the mean, times Hann's window sin^2(pi (i + 1/2) / n) along each axis if arg.window is 1, over the root of the mean
// square of that, 3 / 8: so the mean square is preserved on average.
STAGE_IN_SPACE {
    ivec3 size = space_size(grid_cells);
    float cells = float(size.x) * float(size.y) * float(size.z), faded = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        float slope = sin(0.5 * TURN * (float(cell[axis]) + 0.5) / float(size[axis]));
        faded *= size[axis] > 1 ? slope * slope / sqrt(0.375) : 1.0;
    }
    float value = grid_value(AT(cell)) - sum(0u) / cells;
    set_grid_wave(AT(cell), arg.window != 0.0 ? faded * value : value);
}

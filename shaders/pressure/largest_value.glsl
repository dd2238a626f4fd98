#include "pressure/lattice.glsl"

// The largest size of a value in fluid, which scales the sums; they are cleared.
STAGE_OVER_RUNS {
    float most = 0.0;
    for (ivec3 cell = run.first; is_in(run, cell); cell = next_in(run, cell)) {
        most = max(most, grid_region(AT(cell)) != 0u ? abs(grid_value(AT(cell))) : 0.0);
        set_grid_sum_low(AT(cell), 0u);
        set_grid_sum_high(AT(cell), 0u);
    }
    max_scale(most);
}

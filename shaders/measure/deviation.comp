#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads samples
#pragma reads grid.squares grid.squares_rest grid.vector_squares grid.vector_squares_rest
#pragma reads grid.pair_squares grid.pair_squares_rest
#pragma writes grid.deviation if grid.value
#pragma writes grid.vector_deviation if grid.vector
#pragma writes grid.pair_deviation if grid.pair

// Standard deviations of all samples so far, from the sums of squared differences; 0 without samples.
#define DEVIATE(DEVIATION, SQUARES, REST) \
    set_grid_##DEVIATION(AT(cell), sqrt((grid_##SQUARES(AT(cell)) + grid_##REST(AT(cell))) / number));

STAGE_IN_SPACE {
    float number = max(float(samples(0u)), 1.0);
#if HAS_grid_squares
    DEVIATE(deviation, squares, squares_rest)
#endif
#if HAS_grid_vector_squares
    DEVIATE(vector_deviation, vector_squares, vector_squares_rest)
#endif
#if HAS_grid_pair_squares
    DEVIATE(pair_deviation, pair_squares, pair_squares_rest)
#endif
}

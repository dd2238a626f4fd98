#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma arguments start
#pragma reads samples grid.value grid.vector grid.pair
#pragma reads grid.mean grid.mean_rest grid.squares grid.squares_rest
#pragma reads grid.vector_mean grid.vector_mean_rest grid.vector_squares grid.vector_squares_rest
#pragma reads grid.pair_mean grid.pair_mean_rest grid.pair_squares grid.pair_squares_rest
#pragma writes grid.mean grid.mean_rest grid.squares grid.squares_rest if grid.value
#pragma writes grid.vector_mean grid.vector_mean_rest grid.vector_squares grid.vector_squares_rest if grid.vector
#pragma writes grid.pair_mean grid.pair_mean_rest grid.pair_squares grid.pair_squares_rest if grid.pair

// A sample of the mean and of the sum of squared differences from it (Welford 1962; docs/measures.md). Both are pairs of
// floats: as n grows, (x - mean) / n falls below the last digit of the mean, and a single float would stand still.

// Adds to a pair of floats: Knuth's two-sum, then the same without its test, because the rest is small.
#define DEFINE_ADDITIONS(TYPE) \
    void add(inout TYPE sum, inout TYPE rest, TYPE more) { \
        TYPE total = sum + more, part = total - sum; \
        TYPE lost = (sum - (total - part)) + (more - part) + rest; \
        sum = total + lost; \
        rest = lost - (sum - total); \
    } \
    void add_sample(TYPE value, float number, inout TYPE mean, inout TYPE mean_rest, inout TYPE squares, inout TYPE squares_rest) { \
        TYPE before = (value - mean) - mean_rest; \
        add(mean, mean_rest, before / number); \
        add(squares, squares_rest, before * ((value - mean) - mean_rest)); \
    }

DEFINE_ADDITIONS(float)
DEFINE_ADDITIONS(vec2)
DEFINE_ADDITIONS(vec3)

#define RECORD(TYPE, VALUE, MEAN, MEAN_REST, SQUARES, SQUARES_REST) { \
        TYPE mean = grid_##MEAN(AT(cell)), mean_rest = grid_##MEAN_REST(AT(cell)); \
        TYPE squares = grid_##SQUARES(AT(cell)), squares_rest = grid_##SQUARES_REST(AT(cell)); \
        add_sample(grid_##VALUE(AT(cell)), number, mean, mean_rest, squares, squares_rest); \
        set_grid_##MEAN(AT(cell), mean); \
        set_grid_##MEAN_REST(AT(cell), mean_rest); \
        set_grid_##SQUARES(AT(cell), squares); \
        set_grid_##SQUARES_REST(AT(cell), squares_rest); \
    }

STAGE_IN_SPACE {
    if (clock.time < arg.start) {
        return;
    }
    float number = float(samples(0u) + 1u);
#if HAS_grid_value
    RECORD(float, value, mean, mean_rest, squares, squares_rest)
#endif
#if HAS_grid_vector
    RECORD(vec3, vector, vector_mean, vector_mean_rest, vector_squares, vector_squares_rest)
#endif
#if HAS_grid_pair
    RECORD(vec2, pair, pair_mean, pair_mean_rest, pair_squares, pair_squares_rest)
#endif
}

#version 460
#include "stage.glsl"
#include "pressure/residual_of_pair.glsl"

#pragma reads grid.faces grid.relative_density grid.p_high grid.p_low grid.whole_b
#pragma writes grid.b
#pragma reduces sum rest_square whole_square
#pragma reduces max rest_largest

// The right-hand side of the next round: the residual of whole_b for the pressure as a pair of floats.
STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    float b = is_fluid(word) ? grid_whole_b(AT(cell)) : 0.0;
    float rest = is_fluid(word) ? residual(word, cell, space_size(grid_cells)) : 0.0;
    set_grid_b(AT(cell), rest);
    sum_rest_square(rest * rest);
    sum_whole_square(b * b);
    max_rest_largest(abs(rest));
}

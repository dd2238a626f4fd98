#version 460
#include "stage.glsl"
#include "pressure/residual_of_pair.glsl"

#pragma reads grid.faces grid.relative_density grid.p_high grid.p_low grid.whole_b
#pragma writes grid.b
#pragma reduces sum rest_square whole_square
#pragma reduces max rest_largest

// The right-hand side of the next round: the residual of whole_b for the pressure as a pair of floats.
void stage(ivec3 cell) {
    uint word = grid_faces(cell);
    float whole = grid_whole_b(cell), left = residual(word, cell, grid_cells);
    float b = is_fluid(word) ? whole : 0.0, rest = is_fluid(word) ? left : 0.0;
    set_grid_b(cell, rest);
    sum_rest_square(rest * rest);
    sum_whole_square(b * b);
    max_rest_largest(abs(rest));
}

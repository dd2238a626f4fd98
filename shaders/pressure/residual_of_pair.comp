#version 460
#include "stage.glsl"
#include "pressure/residual_of_pair.glsl"
#include "pressure/columns.glsl"

#pragma reads grid.faces grid.relative_density grid.p_high grid.p_low grid.whole_b
#pragma writes grid.b
#pragma reduces max rest_largest
#pragma reduces sum rest_square whole_square

// The right-hand side of the next round: the residual of whole_b for the pressure as a pair of floats.
void stage(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    float sum = 0.0, whole = 0.0, most = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        float b = is_fluid(word) ? grid_whole_b(AT(cell)) : 0.0;
        float rest = is_fluid(word) ? residual(word, cell, size) : 0.0;
        set_grid_b(AT(cell), rest);
        sum += rest * rest;
        whole += b * b;
        most = max(most, abs(rest));
    }
    sum_rest_square(sum);
    sum_whole_square(whole);
    max_rest_largest(most);
}

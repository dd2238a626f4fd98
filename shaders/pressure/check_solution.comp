#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/columns.glsl"

#pragma reads grid.faces grid.relative_density grid.p grid.b
#pragma reduces max true_largest
#pragma reduces sum true_square

// The true residual, b - A p: the residual that the iterations update accumulates rounding errors.

float p_at(ivec3 cell) {
    return grid_p(AT(cell));
}

DEFINE_FLUX(flux, p_at)

void stage(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    float sum = 0.0, most = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        float rest = is_fluid(word) ? grid_b(AT(cell)) - flux(word, cell, size, coefficients(word, cell, size), p_at(cell)) : 0.0;
        sum += rest * rest;
        most = max(most, abs(rest));
    }
    sum_true_square(sum);
    max_true_largest(most);
}

#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/columns.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.p grid.b
#pragma reduces max true_largest
#pragma reduces sum true_square

// The true residual, b - A p: the residual that the iterations update accumulates rounding errors.

float p_at(ivec3 cell) {
    return grid_p(AT(cell));
}

void stage(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    float sum = 0.0, most = 0.0;
    float below = p_at(around(column.first, size).below), p = p_at(column.first);
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        Around at = around(cell, size);
        Ring x = Ring(p_at(at.west), p_at(at.east), p_at(at.south), p_at(at.north), below, p_at(at.above));
        float rest;
        if ((MARKS(cell) & PLAIN_CELL) != 0u) {
            rest = grid_b(AT(cell)) - flux(Parts(1.0, 1.0, 1.0, 1.0, 1.0, 1.0), x, p);
        } else {
            uint word = grid_faces(AT(cell));
            Parts c = coefficients(word, cell, size);
            rest = is_fluid(word) ? grid_b(AT(cell)) - (flux(c, x, p) + through_open_sides(word, cell, size, c, p)) : 0.0;
        }
        below = p;
        p = x.above;
        sum += rest * rest;
        most = max(most, abs(rest));
    }
    sum_true_square(sum);
    max_true_largest(most);
}

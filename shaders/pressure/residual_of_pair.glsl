// The residual of whole_b in a cell of fluid for the pressure as a pair of floats. Differences, products and sums
// are exact to about 48 bits, so the result is, too, although it is far less than the terms of its sum.
#include "pressure/coefficients.glsl"
#include "pressure/two_floats.glsl"

#pragma reach grid_p_high 1
#pragma reach grid_p_low 1

Pair p_at(ivec3 cell) {
    return Pair(grid_p_high(AT(cell)), grid_p_low(AT(cell)));
}

Pair through(Pair rest, float c, Pair own, ivec3 beside) {
    Pair other = p_at(beside), difference = two_sum(own.high, -other.high);
    return minus(rest, c, Pair(difference.high, difference.low + (own.low - other.low)));
}

float residual(uint word, ivec3 cell, ivec3 size) {
    Around at = around(cell, size);
    Parts c = coefficients(word, cell, size);
    Pair own = p_at(cell), rest = Pair(grid_whole_b(AT(cell)), 0.0);
    rest = through(rest, c.west, own, at.west);
    rest = through(rest, c.east, own, at.east);
    rest = through(rest, c.south, own, at.south);
    rest = through(rest, c.north, own, at.north);
    rest = through(rest, c.below, own, at.below);
    rest = through(rest, c.above, own, at.above);
    if ((word & AT_OPEN_SIDE) != 0u) {
        mat3x2 open = open_sides(cell, size, c);
        for (int axis = 0; axis < 3; axis++) {
            rest = minus(minus(rest, open[axis].x, own), open[axis].y, own);
        }
    }
    return rest.high + rest.low;
}

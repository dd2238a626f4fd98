// A step along the direction d: p += alpha d, r -= alpha A d, and the sum of r r and the largest |r|.
#include "pressure/stencil.glsl"
#include "pressure/columns.glsl"

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, 1.0)
DEFINE_FLUX(flux, d_at)

void advance(uint i, float alpha) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    float sum = 0.0, most = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        float p = grid_p(AT(cell)), r = grid_r(AT(cell)), d = d_at(cell);
        Around at = around(cell, size);
        Parts c = parts(cell, at, word);
        float q = flux(at, c, d);
        r = is_fluid(word) ? r - alpha * q : 0.0;
        set_grid_p(AT(cell), p + alpha * d);
        set_grid_r(AT(cell), r);
        sum += r * r;
        most = max(most, abs(r));
    }
    sum_square(sum);
    max_largest(most);
}

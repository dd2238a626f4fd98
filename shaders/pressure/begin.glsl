// r = b - A p, and the sums (r r, b b) and the largest |r| over the cells of fluid.
#include "pressure/stencil.glsl"
#include "pressure/columns.glsl"

float p_at(ivec3 cell) {
    return grid_p(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, 1.0)
DEFINE_FLUX(flux, p_at)

void stage(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    vec2 sums = vec2(0.0);
    float most = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        Around at = around(cell, size);
        Parts c = parts(cell, at, word);
        float b = grid_b(AT(cell));
        float r = is_fluid(word) ? b - flux(at, c, grid_p(AT(cell))) : 0.0;
        b = is_fluid(word) ? b : 0.0;
        set_grid_r(AT(cell), r);
        sums += vec2(r * r, b * b);
        most = max(most, abs(r));
    }
    sum_norms(sums);
    max_largest(most);
}

// The next direction of the search, d = s + beta d_before, and the sum d A d. `s` is what the preconditioner made of the
// residual, or the residual itself. The directions around a cell are computed again, so the two halves of the method
// have one kernel between them.
#include "pressure/stencil.glsl"
#include "pressure/columns.glsl"

float beta = 0.0;

float direction(ivec3 cell) {
    return grid_s(AT(cell)) + beta * grid_d_before(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, 1.0)
DEFINE_FLUX(flux, direction)

void search(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    float sum = 0.0;
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        Around at = around(cell, size);
        float d = direction(cell);
        float q = flux(at, parts(cell, at, word), d);
        set_grid_d(AT(cell), d);
        sum += is_fluid(word) ? d * q : 0.0;
    }
    sum_dq(sum);
}

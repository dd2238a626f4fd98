// The next direction of the search, d = s + beta d_before, and the sum d A d. `s` is what the preconditioner made of the
// residual, or the residual itself. The directions around a cell are computed again from s and d_before: that saves a pass.
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

float beta = 0.0;

float direction(ivec3 cell) {
    return grid_s(AT(cell)) + beta * grid_d_before(AT(cell));
}

DEFINE_FLUX(flux, direction)

void search(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    float sum = 0.0;
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_dq_length) {
        Column column = column_of(i, size);
        ivec3 cell = column.first;
        float below = direction(around(cell, size).below), d = direction(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around(cell, size);
            uint word = grid_faces(AT(cell));
            float above = direction(at.above);
            Parts c = parts_of(word);
            float q = flux(at, c, below, d, above) + through_open_sides(word, cell, size, c, d);
            set_grid_d(AT(cell), d);
            sum += is_fluid(word) ? d * q : 0.0;
            below = d;
            d = above;
        }
    }
    vec4 sums = fold_group(local, vec4(sum, 0.0, 0.0, 0.0));
    if (local == 0u) {
        set_partial_dq(group.x, sums);
    }
}

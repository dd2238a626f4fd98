// The next direction of the search, d = s + beta d_before, and the sums (d A d, d d). `s` is what the preconditioner made of the
// residual, or the residual itself. The directions around a cell are computed again from s and d_before: that saves a pass.
#include "pressure/coefficients.glsl"
#include "pressure/group_sums.glsl"

float beta = 0.0;

float direction(ivec3 cell) {
    return grid_s(AT(cell)) + beta * grid_d_before(AT(cell));
}


void search(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec2 sum = vec2(0.0);
    for (uint tile = group.x; tile < tile_count(size); tile += partial_dq_length) {
        Column column = column_in(tile, local, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        float below = direction(around(cell, size).below), d = direction(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around(cell, size);
            uint word = grid_faces(AT(cell));
            Ring x = Ring(direction(at.west), direction(at.east), direction(at.south), direction(at.north), below,
                          direction(at.above));
            Parts c = coefficients(word, cell, size);
            float q = flux(c, x, d) + through_open_sides(word, cell, size, c, d);
            set_grid_d(AT(cell), d);
            sum += is_fluid(word) ? d * vec2(q, d) : vec2(0.0);
            below = d;
            d = x.above;
        }
    }
    vec4 sums = fold_group(local, vec4(sum, 0.0, 0.0));
    if (local == 0u) {
        set_partial_dq(group.x, sums);
    }
}

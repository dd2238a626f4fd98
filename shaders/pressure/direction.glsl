// The next direction of the search, d = s + beta d_before, and the sum d A d. `s` is what the preconditioner made of the
// residual, or the residual itself. The directions around a cell are computed again from s and d_before: that saves a pass.
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

float beta = 0.0;

float direction(ivec3 cell) {
    return grid_s(AT(cell)) + beta * grid_d_before(AT(cell));
}


// What a cell needs that no other cell of its column does.
struct Loaded {
    uint word;
    float west, east, south, north, above;
};

Loaded load(ivec3 cell, ivec3 size) {
    Around at = around(cell, size);
    return Loaded(grid_faces(AT(cell)), direction(at.west), direction(at.east), direction(at.south), direction(at.north),
                  direction(at.above));
}

void search(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    float sum = 0.0;
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_dq_length) {
        Column column = column_of(i, size);
        ivec3 cell = column.first;
        float below = direction(around(cell, size).below), d = direction(cell);
        Loaded now = load(cell, size);
        for (; cell.z < column.end; cell.z++) {
            // The next cell is loaded before this one is written: otherwise its loads would wait.
            Loaded next = load(ivec3(cell.xy, min(cell.z + 1, column.end - 1)), size);
            Parts c = parts_of(now.word);
            float q = flux(c, Ring(now.west, now.east, now.south, now.north, below, now.above), d)
                    + through_open_sides(now.word, cell, size, c, d);
            set_grid_d(AT(cell), d);
            sum += is_fluid(now.word) ? d * q : 0.0;
            below = d;
            d = now.above;
            now = next;
        }
    }
    vec4 sums = fold_group(local, vec4(sum, 0.0, 0.0, 0.0));
    if (local == 0u) {
        set_partial_dq(group.x, sums);
    }
}

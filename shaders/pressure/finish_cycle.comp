#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

// The last smoothing of a cycle, s = z + omega (r - A z) / diagonal, and the sums (s r, s A d) that the next direction and
// step need.

vec2 at_cell(ivec3 cell) {
    return vec2(grid_z(AT(cell)), grid_d(AT(cell)));
}

// What a cell needs that no other cell of its column does.
struct Loaded {
    uint word;
    float r;
    vec2 west, east, south, north, above;
};

Loaded load(ivec3 cell, ivec3 size) {
    Around at = around(cell, size);
    return Loaded(grid_faces(AT(cell)), grid_r(AT(cell)), at_cell(at.west), at_cell(at.east), at_cell(at.south),
                  at_cell(at.north), at_cell(at.above));
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_dots_length) {
        Column column = column_of(i, size);
        ivec3 cell = column.first;
        vec2 below = at_cell(around(cell, size).below), x = at_cell(cell);
        Loaded now = load(cell, size);
        for (; cell.z < column.end; cell.z++) {
            // The next cell is loaded before this one is written: otherwise its loads would wait.
            Loaded next = load(ivec3(cell.xy, min(cell.z + 1, column.end - 1)), size);
            Parts c = parts_of(now.word);
            float own = diagonal(c);
            float az = flux(c, Ring(now.west.x, now.east.x, now.south.x, now.north.x, below.x, now.above.x), x.x)
                     + through_open_sides(now.word, cell, size, c, x.x);
            float ad = flux(c, Ring(now.west.y, now.east.y, now.south.y, now.north.y, below.y, now.above.y), x.y)
                     + through_open_sides(now.word, cell, size, c, x.y);
            float s = is_fluid(now.word) && own > 0.0 ? x.x + arg.damping * (now.r - az) / own : 0.0;
            set_grid_s(AT(cell), s);
            sums.xy += s * vec2(now.r, ad);
            below = x;
            x = now.above;
            now = next;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_dots(group.x, sums);
    }
}

#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/group_sums.glsl"

// The last smoothing of a cycle, s = z + omega (r - A z) / diagonal, and the sums (s r, s A d) that the next direction and
// step need.

vec2 at_cell(ivec3 cell) {
    return vec2(grid_z(AT(cell)), grid_d(AT(cell)));
}

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint tile = group.x; tile < tile_count(size); tile += partial_dots_length) {
        Column column = column_in(tile, local, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec2 below = at_cell(around(cell, size).below), x = at_cell(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around(cell, size);
            uint word = grid_faces(AT(cell));
            float r = grid_r(AT(cell));
            vec2 west = at_cell(at.west), east = at_cell(at.east), south = at_cell(at.south), north = at_cell(at.north);
            vec2 above = at_cell(at.above);
            Parts c = coefficients(word, cell, size);
            float own = diagonal(c);
            float az = flux(c, Ring(west.x, east.x, south.x, north.x, below.x, above.x), x.x)
                     + through_open_sides(word, cell, size, c, x.x);
            float ad = flux(c, Ring(west.y, east.y, south.y, north.y, below.y, above.y), x.y)
                     + through_open_sides(word, cell, size, c, x.y);
            float s = is_fluid(word) && own > 0.0 ? x.x + arg.damping * (r - az) / own : 0.0;
            set_grid_s(AT(cell), s);
            sums.xy += s * vec2(r, ad);
            below = x;
            x = above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_dots(group.x, sums);
    }
}

#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

// The last smoothing of a cycle, s = z + omega (r - A z) / diagonal, and the sums (s r, s A d) that the next direction and
// step need.

float z_at(ivec3 cell) {
    return grid_z(AT(cell));
}

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

DEFINE_FLUX(flux, z_at)
DEFINE_FLUX(flux_of_direction, d_at)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_dots_length) {
        Column column = column_of(i, size);
        ivec3 cell = column.first;
        ivec3 start = around(cell, size).below;
        float z_below = z_at(start), z = z_at(cell), d_below = d_at(start), d = d_at(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around(cell, size);
            uint word = grid_faces(AT(cell));
            float z_above = z_at(at.above), d_above = d_at(at.above), r = grid_r(AT(cell));
            Parts c = parts_of(word);
            float own = diagonal(c);
            float rest = r - flux(at, c, z_below, z, z_above) - through_open_sides(word, cell, size, c, z);
            float q = flux_of_direction(at, c, d_below, d, d_above) + through_open_sides(word, cell, size, c, d);
            float s = is_fluid(word) && own > 0.0 ? z + arg.damping * rest / own : 0.0;
            set_grid_s(AT(cell), s);
            sums.xy += s * vec2(r, q);
            z_below = z;
            z = z_above;
            d_below = d;
            d = d_above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_dots(group.x, sums);
    }
}

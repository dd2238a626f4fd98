#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

// The sums (s r, s A d) of what a cycle made of the residual, which the next direction and step need.

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, 1.0)
DEFINE_FLUX(flux, d_at)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_dots_length) {
        Column column = column_of(i, size);
        for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
            uint word = grid_faces(AT(cell));
            Around at = around(cell, size);
            float s = grid_s(AT(cell)), r = grid_r(AT(cell));
            sums.xy += s * vec2(r, flux(at, parts(cell, at, word), d_at(cell)));
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_dots(group.x, sums);
    }
}

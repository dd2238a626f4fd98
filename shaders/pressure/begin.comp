#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/group_sums.glsl"

#pragma reads grid.faces grid.relative_density grid.p grid.b
#pragma writes grid.r partial_norms

// r = b - A p, and the sums (r r, b b) and the largest |r| over the cells of fluid.

float p_at(ivec3 cell) {
    return grid_p(AT(cell));
}

DEFINE_FLUX(flux, p_at)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint tile = group.x; tile < tile_count(size); tile += partial_norms_length) {
        Column column = column_in(tile, local, size);
        for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
            uint word = grid_faces(AT(cell));
            float b = is_fluid(word) ? grid_b(AT(cell)) : 0.0;
            float r = is_fluid(word) ? b - flux(word, cell, size, coefficients(word, cell, size), p_at(cell)) : 0.0;
            set_grid_r(AT(cell), r);
            sums = fold(sums, vec4(r * r, b * b, 0.0, abs(r)));
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_norms(group.x, sums);
    }
}

#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/columns.glsl"

// The sums (s r, s A d) of what a cycle made of the residual, which the next direction and step need.

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

DEFINE_PARTS(parts, grid_faces, grid_cells, 1.0)
DEFINE_FLUX(flux, d_at)

void stage(uint i) {
    ivec3 size = space_size(grid_cells);
    Column column = column_of(i, size);
    vec2 sums = vec2(0.0);
    for (ivec3 cell = column.first; cell.z < column.end; cell.z++) {
        uint word = grid_faces(AT(cell));
        Around at = around(cell, size);
        sums += grid_s(AT(cell)) * vec2(grid_r(AT(cell)), flux(at, parts(cell, at, word), d_at(cell)));
    }
    sum_dots(sums);
}

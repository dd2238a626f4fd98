#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reads grid.faces grid.plain grid.relative_density grid.p grid.b
#pragma writes grid.r partial_norms
#pragma reach grid_p 1
#pragma reach grid_b 0
#pragma reach grid_plain 0
#pragma reach grid_r 0
#pragma reach partial_norms 0

// r = b - A p, and the sums (r r, b b) and the largest |r| over the cells of fluid.

DEFINE_ROW(p_row, vec4, grid_p)
DEFINE_ROW(b_row, vec4, grid_b)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_r_row, vec4, grid_r)

void stage(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec4 below = p_row(around(cell, size).below), p = p_row(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            Rows x = Rows(grid_p(AT(at.west)), grid_p(AT(at.east)), p_row(at.south), p_row(at.north), below, p_row(at.above));
            vec4 b = b_row(cell);
            if ((MARKS(cell) & PLAIN_ROW) != 0u) {
                vec4 r = b - plain_flux(x, p, ends_of(cell, size));
                set_r_row(cell, r);
                sums = fold(sums, vec4(sum_of_row(r, r), sum_of_row(b, b), 0.0, largest_of_row(r)));
            } else {
                uvec4 words = words_row(cell);
                vec4 r = vec4(0.0);
#define BEGIN(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float q = flux(c, RING_IN_ROW(x, p, I), p[I]) + through_open_sides(words[I], of_row, size, c, p[I]); \
                    b[I] = is_fluid(words[I]) ? b[I] : 0.0; \
                    r[I] = is_fluid(words[I]) ? b[I] - q : 0.0; \
                }
                EACH_IN_ROW(BEGIN)
                set_r_row(cell, r);
                sums = fold(sums, vec4(sum_of_row(r, r), sum_of_row(b, b), 0.0, largest_of_row(r)));
            }
            below = p;
            p = x.above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_norms(stage_number(group), sums);
    }
}

// The next direction of the search, d_next = s + beta d, and the sums (d A d, d d). `s` is the preconditioned residual, or
// the residual itself. The directions around a cell are recomputed from s and d, which saves a pass.
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reach grid_s 1
#pragma reach grid_d 1
#pragma reach grid_plain 0
#pragma reach grid_d_next 0
#pragma reach partial_dq 0

float beta = 0.0;

float direction(ivec3 cell) {
    // The first direction is s; then d has no meaning.
    return beta != 0.0 ? grid_s(AT(cell)) + beta * grid_d(AT(cell)) : grid_s(AT(cell));
}

DEFINE_ROW(s_row, vec4, grid_s)
DEFINE_ROW(d_row, vec4, grid_d)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_d_next_row, vec4, grid_d_next)

vec4 directions(ivec3 cell) {
    return beta != 0.0 ? s_row(cell) + beta * d_row(cell) : s_row(cell);
}

void search(uvec3 group, uint local) {
    ivec3 size = space_size(grid_cells);
    vec2 sum = vec2(0.0);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec4 below = directions(around(cell, size).below), d = directions(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            Rows x = Rows(direction(at.west), direction(at.east), directions(at.south), directions(at.north), below,
                          directions(at.above));
            if ((MARKS(cell) & PLAIN_ROW) != 0u) {
                sum += vec2(sum_of_row(d, plain_flux(x, d, ends_of(cell, size))), sum_of_row(d, d));
                set_d_next_row(cell, d);
            } else {
                uvec4 words = words_row(cell);
#define SEARCH(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float q = flux(c, RING_IN_ROW(x, d, I), d[I]) + through_open_sides(words[I], of_row, size, c, d[I]); \
                    sum += is_fluid(words[I]) ? d[I] * vec2(q, d[I]) : vec2(0.0); \
                }
                EACH_IN_ROW(SEARCH)
                set_d_next_row(cell, d);
            }
            below = d;
            d = x.above;
        }
    }
    vec4 sums = fold_group(local, vec4(sum, 0.0, 0.0));
    if (local == 0u) {
        set_partial_dq(stage_number(group), sums);
    }
}

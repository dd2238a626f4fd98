// A step along the direction d, alpha = s r / d A d: p += alpha d, r -= alpha A d, and the sum of r r and the largest |r|.
#include "pressure/coefficients.glsl"
#include "pressure/tiles.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

#pragma reach grid_d 1
#pragma reach grid_p 0
#pragma reach grid_r 0
#pragma reach grid_plain 0
#pragma reach partial_norms 0

DEFINE_ROW(d_row, vec4, grid_d)
DEFINE_ROW(p_row, vec4, grid_p)
DEFINE_ROW(r_row, vec4, grid_r)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_p_row, vec4, grid_p)
DEFINE_SET_ROW(set_r_row, vec4, grid_r)

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

// `products` are s r, d A d and d d.
void advance(uvec3 group, uint local, vec3 products) {
    // A direction that is constant up to rounding does not change r; the smallest eigenvalue of a box of n cells is (pi / n)^2.
    float alpha = products.y > 1e-8 * products.z ? max(products.x, 0.0) / products.y : 0.0;
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    EACH_COLUMN(i) {
        Column column = column_in(group, i, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        vec4 below = d_row(around(cell, size).below), d = d_row(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around_row(cell, size);
            Rows x = Rows(d_at(at.west), d_at(at.east), d_row(at.south), d_row(at.north), below, d_row(at.above));
            vec4 r = r_row(cell), p = p_row(cell);
            if ((MARKS(cell) & PLAIN_ROW) != 0u) {
                r -= alpha * plain_flux(x, d, ends_of(cell, size));
                set_p_row(cell, p + alpha * d);
                set_r_row(cell, r);
                sums = fold(sums, vec4(sum_of_row(r, r), 0.0, 0.0, largest_of_row(r)));
            } else {
                uvec4 words = words_row(cell);
#define STEP(I) { \
                    ivec3 of_row = cell + ivec3(I, 0, 0); \
                    Parts c = coefficients(words[I], of_row, size); \
                    float q = flux(c, RING_IN_ROW(x, d, I), d[I]) + through_open_sides(words[I], of_row, size, c, d[I]); \
                    r[I] = is_fluid(words[I]) ? r[I] - alpha * q : 0.0; \
                    sums = fold(sums, vec4(r[I] * r[I], 0.0, 0.0, abs(r[I]))); \
                }
                EACH_IN_ROW(STEP)
                set_p_row(cell, p + alpha * d);
                set_r_row(cell, r);
            }
            below = d;
            d = x.above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_norms(stage_number(group), sums);
    }
}

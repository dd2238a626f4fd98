// A step along the direction d, alpha = s r / d A d: p += alpha d, r -= alpha A d, and the sum of r r and the largest |r|.
// Without ALWAYS nothing if `on` is 0.
#include "pressure/coefficients.glsl"
#include "pressure/group_sums.glsl"
#include "pressure/rows.glsl"
#include "pressure/plain.glsl"

DEFINE_TOTAL(total_dq, partial_dq, partial_dq_length)

DEFINE_ROW(d_row, vec4, grid_d)
DEFINE_ROW(p_row, vec4, grid_p)
DEFINE_ROW(r_row, vec4, grid_r)
DEFINE_ROW(words_row, uvec4, grid_faces)
DEFINE_SET_ROW(set_p_row, grid_p)
DEFINE_SET_ROW(set_r_row, grid_r)
float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

void stage(uvec3 group, uint local) {
#ifdef ALWAYS
    const uint goes = 1u;
#else
    uint goes = on(0u);
#endif
    vec2 total = total_dq(local).xy;
    if (goes == 0u) {
        return;
    }
    // A direction that is constant up to rounding does not change r; the smallest eigenvalue of a box of n cells is (pi / n)^2.
    float alpha = total.x > 1e-8 * total.y ? max(weight(0u), 0.0) / total.x : 0.0;
    if (group.x == 0u && local == 0u) {
        set_dq(0u, total.x);
        set_weight_before(0u, weight(0u));
        set_iterations(0u, iterations(0u) + 1u);
    }
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint tile = group.x; tile < tile_count(size); tile += partial_norms_length) {
        Column column = column_in(tile, local, size);
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
        set_partial_norms(group.x, sums);
    }
}

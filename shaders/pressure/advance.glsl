// A step along the direction d, alpha = s r / d A d: p += alpha d, r -= alpha A d, and the sum of r r and the largest |r|. With
// SMOOTH also the first smoothing of the cycle that follows, z = omega r / diagonal.
#include "pressure/coefficients.glsl"
#include "pressure/group_sums.glsl"

DEFINE_TOTAL(total_dq, partial_dq, partial_dq_length)

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

void stage(uvec3 group, uint local) {
    vec2 total = total_dq(local).xy;
    // A direction that is constant up to rounding does not change r; the smallest eigenvalue of a box of n cells is (pi / n)^2.
    float alpha = total.x > 1e-8 * total.y ? max(weight(0u), 0.0) / total.x : 0.0;
    if (group.x == 0u && local == 0u) {
        set_dq(0u, total.x);
        set_weight_before(0u, weight(0u));
    }
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint tile = group.x; tile < tile_count(size); tile += partial_norms_length) {
        Column column = column_in(tile, local, size);
        ivec3 cell = column.first;
        if (column.end == cell.z) {
            continue;
        }
        float below = d_at(around(cell, size).below), d = d_at(cell);
        for (; cell.z < column.end; cell.z++) {
            Around at = around(cell, size);
            uint word = grid_faces(AT(cell));
            float p = grid_p(AT(cell)), r = grid_r(AT(cell));
            Ring x = Ring(d_at(at.west), d_at(at.east), d_at(at.south), d_at(at.north), below, d_at(at.above));
            Parts c = coefficients(word, cell, size);
            float q = flux(c, x, d) + through_open_sides(word, cell, size, c, d);
            r = is_fluid(word) ? r - alpha * q : 0.0;
            set_grid_p(AT(cell), p + alpha * d);
            set_grid_r(AT(cell), r);
#ifdef SMOOTH
            float own = diagonal(c);
            set_grid_z(AT(cell), own > 0.0 ? arg.damping * r / own : 0.0);
#endif
            sums = fold(sums, vec4(r * r, 0.0, 0.0, abs(r)));
            below = d;
            d = x.above;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_norms(group.x, sums);
    }
}

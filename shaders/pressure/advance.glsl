// A step along the direction d, alpha = s r / d A d: p += alpha d, r -= alpha A d, and the sum of r r and the largest |r|. With
// SMOOTH also the first smoothing of the cycle that follows, z = omega r / diagonal.
#include "pressure/stencil.glsl"
#include "pressure/group_sums.glsl"

DEFINE_TOTAL(total_dq, partial_dq, partial_dq_length)

float d_at(ivec3 cell) {
    return grid_d(AT(cell));
}

// What a cell needs that no other cell of its column does.
struct Loaded {
    uint word;
    float p, r, west, east, south, north, above;
};

Loaded load(ivec3 cell, ivec3 size) {
    Around at = around(cell, size);
    return Loaded(grid_faces(AT(cell)), grid_p(AT(cell)), grid_r(AT(cell)), d_at(at.west), d_at(at.east), d_at(at.south),
                  d_at(at.north), d_at(at.above));
}

void stage(uvec3 group, uint local) {
    float total = total_dq(local).x, alpha = total > 0.0 ? weight(0u) / total : 0.0;
    if (group.x == 0u && local == 0u) {
        set_dq(0u, total);
        set_weight_before(0u, weight(0u));
    }
    ivec3 size = space_size(grid_cells);
    vec4 sums = vec4(0.0);
    for (uint i = group.x * 256u + local; i < columns_of(size); i += 256u * partial_norms_length) {
        Column column = column_of(i, size);
        ivec3 cell = column.first;
        float below = d_at(around(cell, size).below), d = d_at(cell);
        Loaded now = load(cell, size);
        for (; cell.z < column.end; cell.z++) {
            // The next cell is loaded before this one is written: otherwise its loads would wait.
            Loaded next = load(ivec3(cell.xy, min(cell.z + 1, column.end - 1)), size);
            Parts c = parts_of(now.word);
            float q = flux(c, Ring(now.west, now.east, now.south, now.north, below, now.above), d)
                    + through_open_sides(now.word, cell, size, c, d);
            float r = is_fluid(now.word) ? now.r - alpha * q : 0.0;
            set_grid_p(AT(cell), now.p + alpha * d);
            set_grid_r(AT(cell), r);
#ifdef SMOOTH
            float own = diagonal(c);
            set_grid_z(AT(cell), own > 0.0 ? arg.damping * r / own : 0.0);
#endif
            sums = fold(sums, vec4(r * r, 0.0, 0.0, abs(r)));
            below = d;
            d = now.above;
            now = next;
        }
    }
    sums = fold_group(local, sums);
    if (local == 0u) {
        set_partial_norms(group.x, sums);
    }
}

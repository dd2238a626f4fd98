// Sums over the cells of a grid: each tile (tiles.glsl) has a vec4 with three sums, and a maximum in w. Each stage that reads
// the result adds up those of all tiles itself, which is faster than a separate dispatch. The order of additions depends only on
// the size of the grid.
#ifndef PRESSURE_GROUP_SUMS
#define PRESSURE_GROUP_SUMS

#pragma workgroup 256

shared vec4 folds[256];
shared vec4 rows[16];

vec4 fold(vec4 a, vec4 b) {
    return vec4(a.xyz + b.xyz, max(a.w, b.w));
}

// The fold of the values of all invocations, in each of them.
vec4 fold_group(uint local, vec4 value) {
    folds[local] = value;
    barrier();
    if (local < 16u) {
        vec4 row = folds[local];
        for (uint k = 1u; k < 16u; k++) {
            row = fold(row, folds[local + 16u * k]);
        }
        rows[local] = row;
    }
    barrier();
    vec4 all = rows[0];
    for (uint k = 1u; k < 16u; k++) {
        all = fold(all, rows[k]);
    }
    return all;
}

// Defines vec4 NAME(uint local): the fold of the LENGTH partial results PARTIALS(uint).
#define DEFINE_TOTAL(NAME, PARTIALS, LENGTH) \
    vec4 NAME(uint local) { \
        vec4 mine = vec4(0.0); \
        for (uint k = local; k < LENGTH; k += 256u) { \
            mine = fold(mine, PARTIALS(k)); \
        } \
        return fold_group(local, mine); \
    }

#endif

// Sums over the cells of a grid. Workgroups of 256 invocations process tiles with a stride and leave one vec4 each: three
// sums, and a maximum in w. Whoever needs the result adds up these partial results itself, which takes less time than a
// dispatch of its own. All orders depend on the size of the grid alone.
#ifndef PRESSURE_GROUP_SUMS
#define PRESSURE_GROUP_SUMS

#include "pressure/columns.glsl"

// Tiles of 32 x 8 columns: neighbours in x and y are read by the same workgroup, and mostly come from its cache.
uvec3 tiles_of(ivec3 size) {
    return uvec3(size + ivec3(31, 7, COLUMN - 1)) / uvec3(32, 8, COLUMN);
}

uint tile_count(ivec3 size) {
    uvec3 tiles = tiles_of(size);
    return tiles.x * tiles.y * tiles.z;
}

// The column of an invocation in a tile: without cells beyond the sides of the grid.
Column column_in(uint tile, uint local, ivec3 size) {
    uvec3 tiles = tiles_of(size);
    uint row = tile / tiles.x;
    ivec3 first = ivec3(32u * (tile - row * tiles.x) + (local & 31u), 8u * (row % tiles.y) + (local >> 5),
                        uint(COLUMN) * (row / tiles.y));
    bool inside = first.x < size.x && first.y < size.y;
    return Column(first, inside ? min(first.z + COLUMN, size.z) : first.z);
}

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

// Stages that add something up, or read far more than they write, run over columns: up to COLUMN cells in z, one after the other.
#ifndef PRESSURE_COLUMNS
#define PRESSURE_COLUMNS

layout(constant_id = 0) const int COLUMN = 8;

struct Column {
    ivec3 first;
    int end;
};

// A column by its number; x runs fastest, then y, then the parts along z.
Column column_of(uint i, ivec3 size) {
    uint across = uint(size.x) * uint(size.y);
    int part = int(i / across);
    uint rest = i - uint(part) * across;
    int y = int(rest / uint(size.x)), x = int(rest) - y * size.x;
    return Column(ivec3(x, y, part * COLUMN), min((part + 1) * COLUMN, size.z));
}

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

#endif

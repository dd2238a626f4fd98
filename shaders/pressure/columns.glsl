// Stages that add something up, or read far more than they write, run over columns: up to COLUMN cells in z, one after the other.
#ifndef PRESSURE_COLUMNS
#define PRESSURE_COLUMNS

layout(constant_id = 0) const int COLUMN = 32;

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

// Tiles of 32 x 8 columns: one workgroup reads neighbours in x and y, mostly from its cache. With rows of four
// cells (rows.glsl) columns are four cells wide and a quarter as deep, and short rows leave more of them along y.
#ifdef STAGE_WIDTH
#define ROW stage_width
#else
#define ROW 1
#endif
#define DEPTH max(COLUMN / ROW, 1)

// The logarithm of a tile's columns along x.
int log2_across(int size) {
    return ROW == 1 ? 5 : clamp(findMSB(max(size / ROW, 1) * 2 - 1), 0, 5);
}

uvec3 tiles_of(ivec3 size) {
    int across = log2_across(size.x);
    return uvec3((size.x + (ROW << across) - 1) / (ROW << across), (size.y + (256 >> across) - 1) >> 8 - across,
                 (size.z + DEPTH - 1) / DEPTH);
}

uint tile_count(ivec3 size) {
    uvec3 tiles = tiles_of(size);
    return tiles.x * tiles.y * tiles.z;
}

// The column of an invocation in a tile: without cells beyond the sides of the grid.
Column column_in(uint tile, uint local, ivec3 size) {
    uvec3 tiles = tiles_of(size);
    uint row = tile / tiles.x;
    int across = log2_across(size.x);
    ivec3 first = ivec3(ROW * int((tile - row * tiles.x << across) + (local & (1u << across) - 1u)),
                        (row % tiles.y << 8 - across) + (local >> across), uint(DEPTH) * (row / tiles.y));
    bool inside = first.x < size.x && first.y < size.y;
    return Column(first, inside ? min(first.z + DEPTH, size.z) : first.z);
}

#endif

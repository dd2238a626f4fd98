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

// Tiles of 256 columns, in the order of their cells in memory. With rows of four cells (rows.glsl) columns are four cells wide
// and a quarter as deep.
#ifdef STAGE_WIDTH
#define ROW stage_width
#else
#define ROW 1
#endif
#define DEPTH max(COLUMN / ROW, 1)

// Rows of a plane across z, and tiles that have all of them.
uint rows_of_plane(ivec3 size) {
    return uint(size.x / ROW) * uint(size.y);
}

uint tiles_of_plane(ivec3 size) {
    return (rows_of_plane(size) + 255u) / 256u;
}

uint tile_count(ivec3 size) {
    return tiles_of_plane(size) * uint((size.z + DEPTH - 1) / DEPTH);
}

// The column of an invocation in a tile: without cells beyond the last row.
Column column_in(uint tile, uint local, ivec3 size) {
    uint across = uint(size.x / ROW), tiles = tiles_of_plane(size), layer = tile / tiles;
    uint row = (tile - layer * tiles) * 256u + local, y = row / across;
    ivec3 first = ivec3(ROW * int(row - y * across), y, DEPTH * int(layer));
    return Column(first, row < rows_of_plane(size) ? min(first.z + DEPTH, size.z) : first.z);
}

#endif

// Stages that add something up, or read far more than they write, run over tiles of the grid. A workgroup has a tile, and its
// invocations have columns: the cells of the tile along z, one after the other. With rows of four cells (rows.glsl) columns
// are four cells wide.
#ifndef PRESSURE_TILES
#define PRESSURE_TILES

#pragma workgroup 256
#pragma tile TILE_X TILE_Y TILE_Z
#pragma reach grid_faces 1
#pragma constant TILE_X tile.x
#pragma constant TILE_Y tile.y
#pragma constant TILE_Z tile.z
layout(constant_id = 0) const int TILE_X = 256;
layout(constant_id = 3) const int TILE_Y = 4;
layout(constant_id = 4) const int TILE_Z = 2;

#ifdef STAGE_WIDTH
#define ROW stage_width
#else
#define ROW 1
#endif

// For the number I of each column of an invocation. There is only one if a tile has at most 256 columns.
#define EACH_COLUMN(I) for (uint I = local; I < uint(TILE_X / ROW * TILE_Y); I += 256u)

struct Column {
    ivec3 first;
    int end;
};

// A column of a tile: without cells if it is beyond the sides of the grid.
Column column_in(uvec3 tile, uint i, ivec3 size) {
    uint across = uint(TILE_X / ROW), y = i / across;
    ivec3 first = ivec3(tile) * ivec3(TILE_X, TILE_Y, TILE_Z) + ivec3(ROW * int(i - y * across), y, 0);
    bool inside = first.x < size.x && first.y < size.y;
    return Column(first, inside ? min(first.z + TILE_Z, size.z) : first.z);
}

#endif

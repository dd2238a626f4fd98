// Requests of blocks of a sparse grid around cells, so that fronts arrive in active blocks. Include after stage.glsl in
// a stage with "requests". CPU twin: tests/engine/sparse/around.rs.

// Defines `void NAME(ivec3 cell, int reach)`, which requests every block with a cell within `reach` cells of `cell`
// along each axis: a dilation by a cube. BLOCK and REQUEST_BLOCK are the grid's `<grid>_block` and
// `request_<grid>_block`.
#define DEFINE_REQUEST_AROUND(NAME, BLOCK, REQUEST_BLOCK) \
void NAME(ivec3 cell, int reach) { \
    ivec3 low = BLOCK(cell - reach), high = BLOCK(cell + reach); \
    for (int z = low.z; z <= high.z; z++) { \
        for (int y = low.y; y <= high.y; y++) { \
            for (int x = low.x; x <= high.x; x++) { \
                REQUEST_BLOCK(ivec3(x, y, z)); \
            } \
        } \
    } \
}

// Defines `void NAME(ivec3 cell, int reach)`, which does so if FLAG(cell) is true. In a stage over the cells of a grid
// it requests the blocks around all flagged cells.
#define DEFINE_REQUEST_WHERE(NAME, FLAG, BLOCK, REQUEST_BLOCK) \
DEFINE_REQUEST_AROUND(NAME##_around, BLOCK, REQUEST_BLOCK) \
void NAME(ivec3 cell, int reach) { \
    if (FLAG(cell)) { \
        NAME##_around(cell, reach); \
    } \
}

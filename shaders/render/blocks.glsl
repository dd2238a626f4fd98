// Blocks of cells with their greatest height, for skipping empty air. The size of the image `blocks` is their number;
// together they cover the whole ground.

ivec2 block_cells() {
    return (ground_vertices - 1 + blocks_size - 1) / blocks_size;
}

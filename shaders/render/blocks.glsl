// Blocks of cells with the greatest height inside, for skipping empty air. The image `blocks` decides how many there
// are; each covers as many cells as it takes for the whole ground.

ivec2 block_cells() {
    return (ground_vertices - 1 + blocks_size - 1) / blocks_size;
}

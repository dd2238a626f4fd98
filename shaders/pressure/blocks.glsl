// Blocks of a sparse grid `grid` whose cells are the finer ones of a grid with twice the cell size.
#ifndef PRESSURE_BLOCKS
#define PRESSURE_BLOCKS

// False if no finer cell of a coarse cell is in an active block, so that none is fluid. True on dense grids.
bool may_have_fluid(ivec3 coarse) {
#ifdef HAS_grid_axes
    // One block has all of them, unless a side of it is a single cell.
    return any(equal(grid_block_cells, ivec3(1))) || grid_is_active(2 * coarse);
#else
    return true;
#endif
}

#endif

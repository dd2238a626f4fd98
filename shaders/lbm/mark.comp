#version 460
#include "stage.glsl"
#include "lbm/lattices.glsl"
#include "lbm/cells.glsl"

#pragma reads grid.f grid.cell_type
#pragma writes grid.cell_type
#pragma alternates grid_f
#pragma reach grid_cell_type 1 0
#pragma unordered grid_cell_type

// Marks the cells that have a wall beside them, so that others need no look at their neighbours. Which cells are walls, which
// neighbours read meanwhile, does not change.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell)) & ~BESIDE_WALL;
    if ((word & TYPE) == LEFT_CELL) {
        word = (word & ~TYPE) | FLUID_CELL;
    }
    Around at = around(cell);
    bool wall = false;
#define LOOK(I, X, Y, Z, W) wall = wall || is_wall(type_at(beside(at, X, Y, Z))) || is_wall(type_at(beside(at, -(X), -(Y), -(Z))));
    PAIRS_OF(grid_f_entries)(LOOK)
    set_grid_cell_type(AT(cell), word | (wall && !is_wall(word & TYPE) ? BESIDE_WALL : 0u));
}

#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/regions.glsl"

#pragma reads grid.faces
#pragma writes grid.region
#pragma reach grid_faces 1
#pragma whole

// True if fluid continues from a cell of fluid through its lower face along an axis.
bool is_open(uint word, int axis, ivec3 beside) {
    return part_of(word, 2 * axis) != 0u && is_fluid(grid_faces(AT(beside)));
}

// True if the cell before `cell` along `across`, which is connected with it, joins the same two regions along `axis`:
// both regions go on there. It does not count at the lower end of the axis, so some cell joins them.
bool is_joined_before(uint word, ivec3 cell, ivec3 beside, int axis, int across) {
    if (cell[across] == 0) {
        return false;
    }
    ivec3 way = ivec3(0);
    way[across] = 1;
    ivec3 before = cell - way, before_beside = beside - way;
    return is_open(word, across, before) && is_open(grid_faces(AT(beside)), across, before_beside)
        && is_open(grid_faces(AT(before)), axis, before_beside);
}

// Joins each cell of fluid with the cells behind its open lower faces, unless the cell before it does.
STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    if (is_fluid(word)) {
        Around at = around(cell, space_size(grid_cells));
        if (cell.x % PIECE == 0 && is_open(word, 0, at.west)) {
            join_regions(label_of(cell), label_of(at.west));
        }
        if (is_open(word, 1, at.south) && !is_joined_before(word, cell, at.south, 1, 0)) {
            join_regions(label_of(cell), label_of(at.south));
        }
        if (is_open(word, 2, at.below) && !is_joined_before(word, cell, at.below, 2, 0)
            && !is_joined_before(word, cell, at.below, 2, 1)) {
            join_regions(label_of(cell), label_of(at.below));
        }
    }
}

#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/regions.glsl"

#pragma reads grid.faces
#pragma writes grid.region
#pragma reach grid_faces 1

// Joins each cell of fluid with the cells behind its open lower faces.
STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    if (is_fluid(word)) {
        Around at = around(cell, space_size(grid_cells));
        if (part_of(word, 0) != 0u && is_fluid(grid_faces(AT(at.west)))) {
            join_regions(label_of(cell), label_of(at.west));
        }
        if (part_of(word, 2) != 0u && is_fluid(grid_faces(AT(at.south)))) {
            join_regions(label_of(cell), label_of(at.south));
        }
        if (part_of(word, 4) != 0u && is_fluid(grid_faces(AT(at.below)))) {
            join_regions(label_of(cell), label_of(at.below));
        }
    }
}

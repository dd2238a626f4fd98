#version 460
#include "stage.glsl"
#include "pressure/stencil.glsl"
#include "pressure/regions.glsl"

// Joins each cell of fluid with those behind its open lower faces.
STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    if (is_fluid(word)) {
        Around at = around(cell, space_size(grid_cells));
        if (low_x(word) > 0.0 && is_fluid(grid_faces(AT(at.west)))) {
            join_regions(label_of(cell), label_of(at.west));
        }
        if (low_y(word) > 0.0 && is_fluid(grid_faces(AT(at.south)))) {
            join_regions(label_of(cell), label_of(at.south));
        }
        if (low_z(word) > 0.0 && is_fluid(grid_faces(AT(at.below)))) {
            join_regions(label_of(cell), label_of(at.below));
        }
    }
}

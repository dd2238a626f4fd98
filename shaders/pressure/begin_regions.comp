#version 460
#include "stage.glsl"
#include "pressure/labels.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces
#pragma writes grid.region grid.region_cells
#pragma reach grid_faces 7

// Each connected piece of a row is a region; join_regions joins the pieces, which begin at multiples of PIECE at the
// latest.
STAGE_IN_SPACE {
    uint word = grid_faces(AT(cell));
    bool fluid = is_fluid(word);
    ivec3 first = cell;
    while (fluid && first.x % PIECE != 0 && part_of(word, 0) != 0u) {
        ivec3 west = first - ivec3(1, 0, 0);
        word = grid_faces(AT(west));
        if (!is_fluid(word)) {
            break;
        }
        first = west;
    }
    set_grid_region(AT(cell), fluid ? label_of(first) : 0u);
    set_grid_region_cells(AT(cell), 0u);
}

#version 460
#include "stage.glsl"
#include "pressure/labels.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces
#pragma writes grid.region grid.region_cells

// Each cell of fluid is a region.
STAGE_IN_SPACE {
    set_grid_region(AT(cell), is_fluid(grid_faces(AT(cell))) ? label_of(cell) : 0u);
    set_grid_region_cells(AT(cell), 0u);
}

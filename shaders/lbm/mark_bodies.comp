#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

#pragma reads grid.mesh
#pragma writes grid.cell_type grid.u

// Cells whose centre is in the mesh belong to a body at rest.
void stage(ivec3 cell) {
    if (grid_mesh(cell) != 0u) {
        set_grid_cell_type(cell, MOVING_CELL);
        set_grid_u(cell, vec3(0.0));
    }
}

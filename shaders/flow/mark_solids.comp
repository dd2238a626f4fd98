#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.mesh
#pragma writes grid.cell_type

// Cells whose centre is in the mesh are solid.
void stage(ivec3 cell) {
    set_grid_cell_type(cell, grid_mesh(cell) > 0.5 ? SOLID_CELL : FLUID_CELL);
}

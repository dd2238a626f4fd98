#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.distance grid.first grid.end grid.cell_type
#pragma writes grid.cell_type

// A cell that is not solid is fluid if a particle is in it, or its centre is under the surface, else air.
void stage(ivec3 cell) {
    if (grid_cell_type(cell) != SOLID_CELL) {
        bool fluid = grid_end(cell) > grid_first(cell) || grid_distance(cell) < 0.0;
        set_grid_cell_type(cell, fluid ? FLUID_CELL : AIR_CELL);
    }
}

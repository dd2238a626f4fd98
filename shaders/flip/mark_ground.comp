#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma reads ground.elevation
#pragma writes grid.cell_type

// Cells whose centre is under the ground are solid.
void stage(ivec3 cell) {
    vec3 place = grid_position(cell);
    if (place.z < sample_ground_elevation(place.xy)) {
        set_grid_cell_type(cell, SOLID_CELL);
    }
}

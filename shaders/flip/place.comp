#version 460
#include "stage.glsl"

#pragma reads matter.position grid.cell_type
#pragma writes matter.placed
#pragma reach grid_cell_type 0

// The position of each particle in cells. Stages that gather load it for many cells, and one load takes a vec4.
void stage(uint i) {
    set_matter_placed(i, vec4(grid_coordinates(matter_position(i)), 0.0));
}

#version 460
#include "stage.glsl"

#pragma reads matter.position
#pragma writes matter.placed

// The position of each particle in cells. Stages that gather load it for many cells, and one load takes a vec4.
void stage(uint i) {
    set_matter_placed(i, vec4(grid_coordinates(matter_position(i)), 0.0));
}

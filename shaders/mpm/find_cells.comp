#version 460
#include "stage.glsl"

#pragma reads matter.position
#pragma writes matter.cell

// The cell of the lowest node of each particle, as a key for sorting: particles with equal keys share their 27
// nodes.
void stage(uint particle) {
    ivec3 at = clamp(ivec3(floor(nodes_coordinates(matter_position(particle)) - 1.0)), ivec3(0), nodes_cells - 1);
    set_matter_cell(particle, uint((at.z * nodes_cells.y + at.y) * nodes_cells.x + at.x));
}

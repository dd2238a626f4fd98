#version 460
#include "stage.glsl"

// Dots rise as fast as the cell that they are in is warm, and start again from the floor at the top.
void stage(uint i) {
    vec3 position = dots_position(i);
    ivec3 cell = clamp(ivec3(box_coordinates(position)), ivec3(0), box_cells - 1);
    position.z += clock.dt * 8.0 * box_heat(cell);
    if (position.z >= float(box_cells.z)) {
        position.z = 0.0;
        add_visits(0u, 1u);
    }
    set_dots_position(i, position);
}

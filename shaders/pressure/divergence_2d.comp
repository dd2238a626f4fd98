#version 460
#include "stage.glsl"

// As divergence.comp, in a plane.
void stage(ivec2 cell) {
    float flow = grid_u(cell + ivec2(1, 0)) - grid_u(cell) + (grid_v(cell + ivec2(0, 1)) - grid_v(cell));
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * flow);
}

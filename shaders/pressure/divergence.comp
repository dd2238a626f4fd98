#version 460
#include "stage.glsl"

// The right side of the pressure equation, b = -(rho h / dt) (what flows out of the cell through its faces, m/s), in Pa:
// Bridson 2015, "Fluid simulation for computer graphics", section 5.3. Closed faces carry the velocity of the solid.
void stage(ivec3 cell) {
    float flow = grid_u(cell + ivec3(1, 0, 0)) - grid_u(cell) + (grid_v(cell + ivec3(0, 1, 0)) - grid_v(cell))
               + (grid_w(cell + ivec3(0, 0, 1)) - grid_w(cell));
    set_grid_b(cell, -arg.density * grid_dx / clock.dt * flow);
}

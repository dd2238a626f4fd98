#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.v grid.dye
#pragma writes grid.v_next grid.dye_next
#pragma arguments fading
#pragma reach grid_v 18
#pragma reach grid_dye 18

// The farthest departure point, in cells along each axis. The reach is 2 cells more: interpolation, and rounding.
const float FARTHEST = 16.0;

// In space velocities have a fourth component, which is 0.
vec3 in_space(vec4 v) {
    return v.xyz;
}

// Semi-Lagrangian advection: the value at the departure point (Stam 1999, "Stable fluids").
STAGE_IN_SPACE {
    float most = FARTHEST * grid_dx;
    vec3 moved = clamp(clock.dt * in_space(grid_v(AT(cell))), -most, most);
    vec3 from = in_space(grid_position(AT(cell))) - moved;
    set_grid_v_next(AT(cell), sample_grid_v(in_lattice(from, grid_spacing)));
    set_grid_dye_next(AT(cell), sample_grid_dye(in_lattice(from, grid_spacing)) * exp(-arg.fading * clock.dt));
}

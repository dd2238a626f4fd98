#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.v grid.dye
#pragma writes grid.v_next grid.dye_next
#pragma arguments fading
#pragma reach grid_v anywhere
#pragma reach grid_dye anywhere

// In space velocities have a fourth component, which is 0.
vec3 in_space(vec4 v) {
    return v.xyz;
}

// Semi-Lagrangian advection: the value at the departure point (Stam 1999, "Stable fluids").
STAGE_IN_SPACE {
    vec3 from = in_space(grid_position(AT(cell))) - clock.dt * in_space(grid_v(AT(cell)));
    set_grid_v_next(AT(cell), sample_grid_v(in_lattice(from, grid_spacing)));
    set_grid_dye_next(AT(cell), sample_grid_dye(in_lattice(from, grid_spacing)) * exp(-arg.fading * clock.dt));
}

#version 460
#include "stage.glsl"
#include "flow/trace.glsl"
#include "flow/corner.glsl"

#pragma reads grid.density grid.heat grid.u grid.v grid.w
#pragma writes grid.density_first grid.heat_first grid.corner
#pragma reach grid_density anywhere
#pragma reach grid_heat anywhere

// predict.comp for density and heat, along one path.
void stage(ivec3 cell) {
    vec3 from = trace(grid_density_position(cell), -clock.dt);
    set_grid_density_first(cell, sample_grid_density(from));
    set_grid_heat_first(cell, sample_grid_heat(from));
    set_grid_corner(cell, packed_corner(corner_near(from, grid_density_position(ivec3(0)), -1), cell));
}

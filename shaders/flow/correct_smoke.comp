#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads grid.density grid.heat grid.density_first grid.heat_first grid.corner grid.faces grid.u grid.v grid.w
#pragma writes grid.density_next grid.heat_next
#pragma reach grid_density anywhere
#pragma reach grid_heat anywhere
#pragma reach grid_density_first anywhere
#pragma reach grid_heat_first anywhere

DEFINE_WITHIN_RANGE(density_within_range, grid_density)
DEFINE_WITHIN_RANGE(heat_within_range, grid_heat)

// correct_predicted.comp for density and heat, along one path.
void stage(ivec3 cell) {
    float density = grid_density(cell), heat = grid_heat(cell);
    if (carried(cell, -1)) {
        vec3 ahead = trace(grid_density_position(cell), clock.dt);
        ivec3 corner = unpacked_corner(grid_corner(cell), cell);
        float dense = grid_density_first(cell) + 0.5 * (density - sample_grid_density_first(ahead));
        float hot = grid_heat_first(cell) + 0.5 * (heat - sample_grid_heat_first(ahead));
        density = density_within_range(dense, corner, -1);
        heat = heat_within_range(hot, corner, -1);
    }
    set_grid_density_next(cell, density);
    set_grid_heat_next(cell, heat);
}

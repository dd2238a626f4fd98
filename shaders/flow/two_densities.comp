#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.water grid.density
#pragma writes grid.rho grid.heights grid.shown
#pragma arguments rho

// The density of the fluid in a cell; the smoke in it times its height, for the centre of mass; for pictures the smoke, and -1 in
// water.
void stage(ivec3 cell) {
    bool water = grid_water(cell) == FLUID_CELL;
    set_grid_rho(cell, water ? arg.water : arg.gas);
    set_grid_shown(cell, water ? -1.0 : grid_density(cell));
    set_grid_heights(cell, grid_density(cell) * grid_density_position(cell).z);
}

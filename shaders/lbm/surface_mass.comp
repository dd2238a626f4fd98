#version 460
#include "stage.glsl"
#include "lbm/cells.glsl"

#pragma reads grid.cell_type grid.rho grid.mass
#pragma reduces sum liquid
#pragma arguments mass_unit

// The mass of the fluid, with the mass not yet distributed; arg.mass_unit per full cell. `rho` must be of this step.
STAGE_IN_SPACE {
    uint word = grid_cell_type(AT(cell));
    if ((word & TYPE) == FLUID_CELL && !is_interface(word)) {
        sum_liquid(arg.mass_unit * grid_rho(AT(cell)));
    }
    if (is_interface(word) || gives(word)) {
        sum_liquid(arg.mass_unit * grid_mass(AT(cell)));
    }
}

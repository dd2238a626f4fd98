#version 460
#include "stage.glsl"
#include "flow/heat.glsl"

#pragma reads grid.faces grid.u grid.v grid.w grid.heat
#pragma reduces sum entered

// The heat that enters through the low side across arg.axis: the sum over its cells, times the side of a cell; K m^2/s.
STAGE_IN_SPACE {
    sum_entered(cell[arg.axis] == 0 ? grid_dx * heat_flux(cell, arg.axis, -1, grid_heat(AT(cell))) : 0.0);
}

#version 460
#include "stage.glsl"
#include "flow/heat.glsl"

#pragma reads grid.faces grid.u grid.v grid.w grid.heat
#pragma writes grid.heat_rate

// The rate of change of the temperature in cells, K/s.
STAGE_IN_SPACE {
    float change = 0.0;
    if (!is_solid(word_at(cell))) {
        float own = grid_heat(AT(cell));
        for (int axis = 0; axis < AXES; axis++) {
            change += heat_flux(cell, axis, -1, own) - heat_flux(cell, axis, 1, own);
        }
    }
    set_grid_heat_rate(AT(cell), change / grid_dx);
}

#version 460
#include "stage.glsl"
#include "flow/momentum.glsl"

#pragma reads grid.faces grid.u grid.v grid.w
#pragma writes rate

// The acceleration by convection and viscosity at the faces across arg.axis, m/s^2; 0 at faces outside the flow.
STAGE_IN_SPACE {
    float change = 0.0;
    if (moves(cell, arg.axis)) {
        float own = velocity(arg.axis, cell);
        for (int along = 0; along < AXES; along++) {
            change += momentum_flux(cell, arg.axis, along, -1, own) - momentum_flux(cell, arg.axis, along, 1, own);
        }
    }
    set_rate(AT(cell), change / grid_dx);
}

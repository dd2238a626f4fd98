#version 460
#include "stage.glsl"
#include "flow/faces.glsl"

#pragma reads before grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reduces count unsettled
#pragma arguments viscosity tolerance

// One sweep of Jacobi's method for (1 - dt nu laplace) u = u before, at the faces across arg.axis: a step of viscosity by
// Euler's backward method, which is stable for any dt (Stam 1999, "Stable fluids", section 2.2). Other faces, which are walls,
// keep their velocity.
STAGE_IN_SPACE {
    float own = velocity(arg.axis, cell), residual = 0.0;
    float part = arg.viscosity * clock.dt / (grid_dx * grid_dx);
    if (moves(cell, arg.axis)) {
        float change = 0.0;
        for (int along = 0; along < AXES; along++) {
            change += beside(cell, arg.axis, along, -1, own).value - own + (beside(cell, arg.axis, along, 1, own).value - own);
        }
        residual = before(AT(cell)) - own + part * change;
    }
    set_next(AT(cell), own + residual / (1.0 + 2.0 * float(AXES) * part));
    // The rows of the matrix add up to 1 or more, so no value is farther from the solution than the largest residual. Nor does
    // a sweep make that larger.
    count_unsettled(abs(residual) > arg.tolerance);
}

#version 460
#include "stage.glsl"
#include "pressure/coefficients.glsl"
#include "pressure/gradient.glsl"

#pragma reads value grid.p grid.faces grid.relative_density
#pragma writes value
#pragma arguments density
#pragma argument int axis

// The pressure accelerates the fluid at the faces across arg.axis. For a variable density, arg.density is the reference.
STAGE_IN_SPACE {
    Gradient p = gradient_across(cell, arg.axis);
#if HAS_grid_relative_density
    float own = uintBitsToFloat(density_at(p.high));
    p.coefficient *= over_density(own, p.at_side ? 0.0 : uintBitsToFloat(density_at(p.low)));
#endif
    set_value(AT(cell), value(AT(cell)) - clock.dt / (arg.density * grid_dx) * p.coefficient * p.difference);
}

#version 460
#include "stage.glsl"
#include "flow/trace.glsl"

#pragma reads value grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere

// Semi-Lagrangian advection: samples the old value at the back-traced position (Stam 1999, "Stable fluids").
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt);
    set_next(AT(cell), sample_value(PLACE(from)));
}

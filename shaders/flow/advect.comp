#version 460
#include "stage.glsl"

float w_near(vec3 place) {
    return sample_grid_w(place);
}

#include "pressure/lattice.glsl"
#include "flow/trace.glsl"

// Semi-Lagrangian advection: the new value is the old one where the fluid comes from (Stam 1999, "Stable fluids").
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt);
    set_next(AT(cell), sample_value(PLACE(from)));
}

#version 460
#include "stage.glsl"

float w_near(vec3 place) {
    return 0.0;
}

#include "pressure/lattice.glsl"
#include "flow/trace.glsl"

// As advect.comp, in a plane.
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt);
    set_next(AT(cell), sample_value(PLACE(from)));
}

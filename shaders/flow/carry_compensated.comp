#version 460
#include "stage.glsl"

float w_near(vec3 place) {
    return sample_grid_w(place);
}

#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

// The second half of BFECC, after compensate.comp: semi-Lagrangian advection of the compensated values. The result stays in
// the range of the values that were there before, between which advection interpolates.
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt);
    set_next(AT(cell), carried(cell) ? within_range(sample_compensated(PLACE(from)), from) : value(AT(cell)));
}

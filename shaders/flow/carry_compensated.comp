#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value compensated grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere
#pragma reach compensated anywhere

// The second half of BFECC, after compensate.comp: semi-Lagrangian advection of the compensated values. The result stays in
// the range of the values that were there before, between which advection interpolates.
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt);
    set_next(AT(cell), carried(cell) ? within_range(sample_compensated(PLACE(from)), from) : value(AT(cell)));
}

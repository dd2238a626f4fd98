#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value compensated grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere
#pragma reach compensated anywhere
#pragma argument int axis

DEFINE_WITHIN_RANGE(within_range, value)

// The second half of BFECC, after compensate.comp: semi-Lagrangian advection of the compensated values. The result stays in
// the range of the values that were there before, between which advection interpolates.
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt), start = in_space(value_position(AT(ivec3(0))));
    float moved = within_range(sample_compensated(PLACE(from)), corner_near(from, start, arg.axis), arg.axis);
    set_next(AT(cell), carried(cell, arg.axis) ? moved : value(AT(cell)));
}

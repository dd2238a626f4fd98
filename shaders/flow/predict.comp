#version 460
#include "stage.glsl"
#include "flow/trace.glsl"
#include "flow/corner.glsl"

#pragma reads value grid.u grid.v grid.w
#pragma writes first corner
#pragma reach value anywhere
#pragma argument int axis

// The first pass of MacCormack's method (correct.comp), which is semi-Lagrangian advection. Keeps the corner of the values
// that it interpolates between for correct_predicted.comp.
STAGE_IN_SPACE {
    vec3 from = trace(in_space(value_position(AT(cell))), -clock.dt), start = in_space(value_position(AT(ivec3(0))));
    set_first(AT(cell), sample_value(PLACE(from)));
    set_corner(AT(cell), packed_corner(corner_near(from, start, arg.axis), cell));
}

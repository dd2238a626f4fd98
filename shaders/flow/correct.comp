#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value first grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere
#pragma reach first anywhere
#pragma argument int axis

DEFINE_WITHIN_RANGE(within_range, value)

// MacCormack's method (Selle et al. 2008, "An unconditionally stable MacCormack method"): advection back and forth shows
// the error of the first pass, `first`, and half of it is taken off. The result stays in the range of the values that the
// first pass interpolates between. correct_all.comp is faster.
STAGE_IN_SPACE {
    vec3 place = in_space(value_position(AT(cell))), start = in_space(value_position(AT(ivec3(0))));
    vec3 from = trace(place, -clock.dt), ahead = trace(place, clock.dt);
    float own = value(AT(cell)), back = sample_first(PLACE(ahead));
    float corrected = first(AT(cell)) + 0.5 * (own - back);
    bool changes = carried(cell, arg.axis);
    set_next(AT(cell), changes ? within_range(corrected, corner_near(from, start, arg.axis), arg.axis) : own);
}

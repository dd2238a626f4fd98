#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value first grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere
#pragma reach first anywhere

// MacCormack's method (Selle et al. 2008, "An unconditionally stable MacCormack method"): advection back and forth shows
// the error of the first pass, `first`, and half of it is taken off. The result stays in the range of the values that the
// first pass interpolates between.
STAGE_IN_SPACE {
    vec3 place = in_space(value_position(AT(cell))), ahead = trace(place, clock.dt);
    float own = value(AT(cell)), back = sample_first(PLACE(ahead));
    float corrected = first(AT(cell)) + 0.5 * (own - back);
    set_next(AT(cell), carried(cell) ? within_range(corrected, trace(place, -clock.dt)) : own);
}

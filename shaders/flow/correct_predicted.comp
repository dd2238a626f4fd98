#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value first corner grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach value anywhere
#pragma reach first anywhere
#pragma argument int axis

DEFINE_WITHIN_RANGE(within_range, value)

// The second pass of MacCormack's method (correct.comp), after predict.comp.
STAGE_IN_SPACE {
    float own = value(AT(cell));
    if (!carried(cell, arg.axis)) {
        set_next(AT(cell), own);
        return;
    }
    vec3 ahead = trace(in_space(value_position(AT(cell))), clock.dt);
    float corrected = first(AT(cell)) + 0.5 * (own - sample_first(PLACE(ahead)));
    set_next(AT(cell), within_range(corrected, unpacked_corner(corner(AT(cell)), cell), arg.axis));
}

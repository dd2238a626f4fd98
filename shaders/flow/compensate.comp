#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/trace.glsl"
#include "flow/limits.glsl"

#pragma reads value first grid.faces grid.u grid.v grid.w
#pragma writes next
#pragma reach first anywhere
#pragma argument int axis

// The first half of BFECC, back and forth error compensation and correction (Dupont & Liu 2003, "Back and forth error
// compensation and correction methods for removing errors induced by uneven gradients of the level set function"; Kim et al.
// 2005, "FlowFixer: using BFECC for fluid simulation"): advection of `first` backwards should give the value. Half of the
// error is subtracted from the value before the second advection.
STAGE_IN_SPACE {
    vec3 ahead = trace(in_space(value_position(AT(cell))), clock.dt);
    float own = value(AT(cell)), back = sample_first(PLACE(ahead));
    set_next(AT(cell), carried(cell, arg.axis) ? own + 0.5 * (own - back) : own);
}

#version 460
#include "stage.glsl"
#include "flow/open.glsl"
#include "flow/limits.glsl"
#include "flow/path.glsl"
#include "flow/corrected.glsl"

#pragma reads value first grid.u grid.v grid.w grid.flow_x grid.flow_y grid.flow_z grid.faces
#pragma writes next
#pragma argument int axis
#pragma reach value 9
#pragma reach first 9

// correct_all.comp for one quantity, after predict.comp.

DEFINE_SAMPLE(first_near, first)
DEFINE_RANGE(value_range, value)
DEFINE_CORRECTED(corrected, value, value_range, first, first_near)

void stage(ivec3 i) {
    float step = clock.dt / grid_dx, next = value(i);
    if (carried(i, arg.axis)) {
        vec3 back = flow_back(i, arg.axis);
        next = corrected(i, arg.axis, vec3(i) - step * back, vec3(i) + step * flow_ahead(i, arg.axis, back));
    }
    set_next(i, next);
}

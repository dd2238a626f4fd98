#version 460
#include "stage.glsl"
#include "flow/path.glsl"

#pragma reads value grid.flow_x grid.flow_y grid.flow_z
#pragma writes first
#pragma argument int axis
#pragma reach value 9

// predict_all.comp for one quantity: `axis` is the axis of its faces, or -1 at centres.

DEFINE_SAMPLE(value_near, value)

void stage(ivec3 i) {
    set_first(i, value_near(vec3(i) - clock.dt / grid_dx * flow_back(i, arg.axis), arg.axis));
}

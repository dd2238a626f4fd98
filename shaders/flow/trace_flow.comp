#version 460
#include "stage.glsl"
#include "flow/samples.glsl"
#include "flow/centred.glsl"
#include "flow/farthest.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes grid.flow_x grid.flow_y grid.flow_z
#pragma reach grid_u 6
#pragma reach grid_v 6
#pragma reach grid_w 6

// The mean velocity on the way to the middle of a cell over a step: that half way back (midpoint rule, of second order).

DEFINE_SAMPLE(u_near, grid_u)
DEFINE_SAMPLE(v_near, grid_v)
DEFINE_SAMPLE(w_near, grid_w)

void stage(ivec3 cell) {
    vec3 at = vec3(cell) + 0.5 - 0.5 * clock.dt / grid_dx * bounded(flow_in(cell));
    vec3 flow = bounded(vec3(u_near(at - start_of(0), 0), v_near(at - start_of(1), 1), w_near(at - start_of(2), 2)));
    set_grid_flow_x(cell, flow.x);
    set_grid_flow_y(cell, flow.y);
    set_grid_flow_z(cell, flow.z);
}

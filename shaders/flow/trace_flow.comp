#version 460
#include "stage.glsl"
#include "flow/samples.glsl"
#include "flow/centred.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes grid.flow_x grid.flow_y grid.flow_z
#pragma reach grid_u anywhere
#pragma reach grid_v anywhere
#pragma reach grid_w anywhere

// The mean velocity on the way to the middle of a cell over a step: that half way back (midpoint rule, of second order).

DEFINE_SAMPLE(u_near, grid_u)
DEFINE_SAMPLE(v_near, grid_v)
DEFINE_SAMPLE(w_near, grid_w)

void stage(ivec3 cell) {
    vec3 at = vec3(cell) + 0.5 - 0.5 * clock.dt / grid_dx * flow_in(cell);
    set_grid_flow_x(cell, u_near(at - start_of(0), 0));
    set_grid_flow_y(cell, v_near(at - start_of(1), 1));
    set_grid_flow_z(cell, w_near(at - start_of(2), 2));
}

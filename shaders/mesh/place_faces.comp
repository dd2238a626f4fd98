#version 460
#include "stage.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes vertices.velocity
#pragma reach grid_u anywhere
#pragma reach grid_v anywhere
#pragma reach grid_w anywhere

#define HAS_VELOCITY 1
vec3 velocity_at(ivec3 cell) {
    return 0.5 * vec3(grid_u(cell) + grid_u(cell + ivec3(1, 0, 0)), grid_v(cell) + grid_v(cell + ivec3(0, 1, 0)),
                      grid_w(cell) + grid_w(cell + ivec3(0, 0, 1)));
}

#include "mesh/place.glsl"

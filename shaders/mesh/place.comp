#version 460
#include "stage.glsl"

#pragma reads grid.velocity
#pragma writes vertices.velocity if grid.velocity
#pragma reach grid_velocity anywhere

#if HAS_grid_velocity
#define HAS_VELOCITY 1
vec3 velocity_at(ivec3 cell) {
    return grid_velocity(cell);
}
#endif

#include "mesh/place.glsl"

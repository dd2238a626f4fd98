#version 460
#include "stage.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes grid.curl
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2

// The vorticity at the centres of cells, 1/s, from the mean velocities of the cells around; at a side of the domain from the
// cell itself and the one inside.
vec3 mean(ivec3 cell) {
    cell = clamp(cell, ivec3(0), grid_cells - 1);
    return 0.5 * vec3(grid_u(cell) + grid_u(cell + ivec3(1, 0, 0)), grid_v(cell) + grid_v(cell + ivec3(0, 1, 0)),
                      grid_w(cell) + grid_w(cell + ivec3(0, 0, 1)));
}

void stage(ivec3 cell) {
    vec3 x = mean(cell + ivec3(1, 0, 0)) - mean(cell - ivec3(1, 0, 0));
    vec3 y = mean(cell + ivec3(0, 1, 0)) - mean(cell - ivec3(0, 1, 0));
    vec3 z = mean(cell + ivec3(0, 0, 1)) - mean(cell - ivec3(0, 0, 1));
    set_grid_curl(cell, 0.5 / grid_dx * vec3(y.z - z.y, z.x - x.z, x.y - y.x));
}

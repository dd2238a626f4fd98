#version 460
#include "stage.glsl"
#include "flow/centred.glsl"

#pragma reads grid.u grid.v grid.w
#pragma writes grid.curl_xy grid.curl_z_size
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2

// The vorticity at the centres of cells, 1/s, from the mean velocities of the cells around; at a side of the domain from the
// cell itself and the one inside; and its size. As halves, two in a word: the force of confinement has a relative error of
// 1e-3, and vorticity counts as at most the largest half.
const float LARGEST_HALF = 65504.0;

vec3 mean(ivec3 cell) {
    return flow_in(clamp(cell, ivec3(0), grid_cells - 1));
}

void stage(ivec3 cell) {
    vec3 x = mean(cell + ivec3(1, 0, 0)) - mean(cell - ivec3(1, 0, 0));
    vec3 y = mean(cell + ivec3(0, 1, 0)) - mean(cell - ivec3(0, 1, 0));
    vec3 z = mean(cell + ivec3(0, 0, 1)) - mean(cell - ivec3(0, 0, 1));
    vec3 curl = 0.5 / grid_dx * vec3(y.z - z.y, z.x - x.z, x.y - y.x);
    float size = length(curl);
    curl = clamp(curl, -LARGEST_HALF, LARGEST_HALF);
    set_grid_curl_xy(cell, packHalf2x16(curl.xy));
    set_grid_curl_z_size(cell, packHalf2x16(vec2(curl.z, min(size, LARGEST_HALF))));
}

#version 460
#include "stage.glsl"
#include "drift/part.glsl"
#include "pressure/faces.glsl"

#pragma reads grid.faces grid.u grid.v grid.w grid.eddy grid.suspended
#pragma writes grid.leaving
#pragma arguments fall
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1
#pragma reach grid_eddy 1

// Suspended units that leave a cell through its faces -x +x -y +y -z +z: upwind fluxes of the wind and of the fall at arg.fall
// m/s, and both ways the exchange by eddies, with the eddy viscosity as diffusivity.
void stage(ivec3 cell) {
    uint word = grid_faces(cell), snow = grid_suspended(cell), left = snow;
    ivec3 x = ivec3(1, 0, 0), y = x.yxz, z = x.yzx;
    float below = grid_eddy(cell), above = grid_eddy(cell + z), beside = 0.5 * (below + above);
    float rates[6] = float[6](
        max(-grid_u(cell), 0.0) + beside / grid_dx, max(grid_u(cell + x), 0.0) + beside / grid_dx,
        max(-grid_v(cell), 0.0) + beside / grid_dx, max(grid_v(cell + y), 0.0) + beside / grid_dx,
        max(arg.fall - grid_w(cell), 0.0) + below / grid_dx, max(grid_w(cell + z) - arg.fall, 0.0) + above / grid_dx);
    float total = 0.0;
    for (int side = 0; side < 6; side++) {
        rates[side] *= clock.dt / grid_dx * float(min(part_of(word, side), WHOLE)) / float(WHOLE);
        total += rates[side];
    }
    for (int side = 0; side < 6; side++) {
        set_grid_leaving(cell, uint(side), part_with(snow, rates[side] / max(total, 1.0), left));
    }
}

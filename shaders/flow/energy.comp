#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.u grid.v grid.w
#pragma reduces sum energy
#pragma reach grid_u 1
#pragma reach grid_v 1
#pragma reach grid_w 1

// The kinetic energy of a flow over its mass, m^2/s^2: the sum over cells, with each face at half of both its cells.

#if HAS_grid_w
void stage(ivec3 cell) {
    vec3 low = vec3(grid_u(cell), grid_v(cell), grid_w(cell));
    vec3 high = vec3(grid_u(cell + ivec3(1, 0, 0)), grid_v(cell + ivec3(0, 1, 0)), grid_w(cell + ivec3(0, 0, 1)));
    sum_energy(0.25 * (dot(low, low) + dot(high, high)));
}
#else
void stage(ivec2 cell) {
    vec4 faces = vec4(grid_u(cell), grid_u(cell + ivec2(1, 0)), grid_v(cell), grid_v(cell + ivec2(0, 1)));
    sum_energy(0.25 * dot(faces, faces));
}
#endif

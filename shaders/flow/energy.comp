#version 460
#include "stage.glsl"

// The kinetic energy of a flow over its mass, m^2/s^2: the sum over cells, with each face at half of both its cells.
void stage(ivec3 cell) {
    vec3 low = vec3(grid_u(cell), grid_v(cell), grid_w(cell));
    vec3 high = vec3(grid_u(cell + ivec3(1, 0, 0)), grid_v(cell + ivec3(0, 1, 0)), grid_w(cell + ivec3(0, 0, 1)));
    sum_energy(0.25 * (dot(low, low) + dot(high, high)));
}

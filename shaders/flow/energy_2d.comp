#version 460
#include "stage.glsl"

// The kinetic energy of a plane flow over its mass, m^2/s^2: the sum over cells, with each face at half of both its cells.
void stage(ivec2 cell) {
    vec4 faces = vec4(grid_u(cell), grid_u(cell + ivec2(1, 0)), grid_v(cell), grid_v(cell + ivec2(0, 1)));
    sum_energy(0.25 * dot(faces, faces));
}

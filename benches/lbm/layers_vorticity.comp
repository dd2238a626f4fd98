#version 460
#include "stage.glsl"

#pragma reads box.u
#pragma writes box.vorticity
#pragma reach box_u 1

// The vorticity along y, per step.
void stage(ivec3 cell) {
    ivec3 size = box_cells;
    vec3 up = box_u((cell + ivec3(0, 0, 1)) % size) - box_u((cell + ivec3(0, 0, -1) + size) % size);
    vec3 right = box_u((cell + ivec3(1, 0, 0)) % size) - box_u((cell + ivec3(-1, 0, 0) + size) % size);
    set_box_vorticity(cell, 0.5 * (up.x - right.z));
}

#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_cloud_density(cell, float(cell.x + 32 * cell.y + 1024 * cell.z) + 0.5 * float(clock.step));
    set_cloud_wind(cell, vec3(cell));
}

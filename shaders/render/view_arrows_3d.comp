#version 460
#include "stage.glsl"
#include "render/slice_arrows.glsl"

// Arrows of velocities on the faces of a grid: means over the faces of cells.

vec3 vector_at(vec3 place) {
    ivec3 i = clamp(ivec3(floor((place - grid_origin) / grid_spacing)), ivec3(0), grid_cells - 1);
    return 0.5 * vec3(grid_u(i) + grid_u(i + ivec3(1, 0, 0)), grid_v(i) + grid_v(i + ivec3(0, 1, 0)), grid_w(i) + grid_w(i + ivec3(0, 0, 1)));
}

#version 460
#include "stage.glsl"
#include "render/slice_arrows.glsl"

// Arrows of velocities on the faces of a plane grid: means over the faces of cells.

vec3 vector_at(vec3 place) {
    ivec2 i = clamp(ivec2(floor((place.xy - grid_origin) / grid_spacing)), ivec2(0), grid_cells - 1);
    return 0.5 * vec3(grid_u(i) + grid_u(i + ivec2(1, 0)), grid_v(i) + grid_v(i + ivec2(0, 1)), 0.0);
}

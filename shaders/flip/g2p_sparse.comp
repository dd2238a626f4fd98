#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads matter.position matter.velocity grid.u grid.v grid.w grid.u_before grid.v_before grid.w_before grid.cell_type
#pragma writes matter.position matter.velocity
#pragma arguments flip

// A sparse grid stores velocities on the low faces of cells. The faces beyond the last cells are walls at rest.
#define DEFINE_SAMPLE(NAME, VALUE, AXIS) \
    float NAME(vec3 place) { \
        vec3 at = grid_coordinates(place) - 0.5; \
        at[AXIS] += 0.5; \
        ivec3 first = ivec3(floor(at)), last = grid_cells - 1; \
        vec3 t = at - vec3(first); \
        float sum = 0.0; \
        for (int k = 0; k < 8; k++) { \
            ivec3 way = ivec3(k & 1, k >> 1 & 1, k >> 2), face = first + way; \
            vec3 weight = mix(1.0 - t, t, equal(way, ivec3(1))); \
            float value = VALUE(clamp(face, ivec3(0), last)); \
            sum += face[AXIS] > last[AXIS] ? 0.0 : weight.x * weight.y * weight.z * value; \
        } \
        return sum; \
    }

DEFINE_SAMPLE(u_at, grid_u, 0)
DEFINE_SAMPLE(v_at, grid_v, 1)
DEFINE_SAMPLE(w_at, grid_w, 2)
DEFINE_SAMPLE(u_before_at, grid_u_before, 0)
DEFINE_SAMPLE(v_before_at, grid_v_before, 1)
DEFINE_SAMPLE(w_before_at, grid_w_before, 2)

vec3 flow_at(vec3 place) {
    return vec3(u_at(place), v_at(place), w_at(place));
}

vec3 before_at(vec3 place) {
    return vec3(u_before_at(place), v_before_at(place), w_before_at(place));
}

#include "flip/taken.glsl"
#include "flip/g2p.glsl"

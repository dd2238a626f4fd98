#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads matter.position matter.velocity grid.u grid.v grid.w grid.u_before grid.v_before grid.w_before grid.cell_type
#pragma writes matter.position matter.velocity matter.affine
#pragma arguments flip

vec3 flow_at(vec3 place) {
    return vec3(sample_grid_u(place), sample_grid_v(place), sample_grid_w(place));
}

#if HAS_matter_affine
// The derivatives (1/s) at a position of the linear interpolation of a component of the flow, whose value at a face is VALUE.
// SIZE is the number of faces along each axis.
#define DEFINE_DERIVATIVES(NAME, VALUE, AXIS) \
    vec3 NAME(vec3 place) { \
        ivec3 size = grid_cells; \
        size[AXIS]++; \
        vec3 at = grid_coordinates(place) - 0.5; \
        at[AXIS] += 0.5; \
        ivec3 first = ivec3(floor(at)); \
        vec3 t = at - vec3(first), sum = vec3(0.0); \
        for (int k = 0; k < 8; k++) { \
            ivec3 way = ivec3(k & 1, k >> 1 & 1, k >> 2); \
            float value = VALUE(clamp(first + way, ivec3(0), size - 1)); \
            vec3 weight = mix(1.0 - t, t, equal(way, ivec3(1))), sign = vec3(2 * way - 1); \
            sum += value * sign * vec3(weight.y * weight.z, weight.z * weight.x, weight.x * weight.y); \
        } \
        return sum / grid_spacing; \
    }

DEFINE_DERIVATIVES(derivatives_of_u, grid_u, 0)
DEFINE_DERIVATIVES(derivatives_of_v, grid_v, 1)
DEFINE_DERIVATIVES(derivatives_of_w, grid_w, 2)

// The velocity at the particle, and its derivatives (Jiang, Schroeder, Selle, Teran & Stomakhin 2015, "The affine particle-in-cell
// method", section 5.3): column k of `affine` has the derivatives of component k.
vec3 taken(uint i, vec3 place) {
    set_matter_affine(i, mat3(derivatives_of_u(place), derivatives_of_v(place), derivatives_of_w(place)));
    return flow_at(place);
}

#else
vec3 before_at(vec3 place) {
    return vec3(sample_grid_u_before(place), sample_grid_v_before(place), sample_grid_w_before(place));
}

#include "flip/taken.glsl"
#endif

#include "flip/g2p.glsl"

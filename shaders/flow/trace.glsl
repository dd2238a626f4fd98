// Paths of the flow, from the velocities at the faces. The stage defines `float w_near(vec3 place)` before it includes
// this (it samples grid.w, or is 0 in a plane), and includes pressure/lattice.glsl.

vec3 in_space(vec2 place) {
    return vec3(place, 0.0);
}

vec3 in_space(vec3 place) {
    return place;
}

vec2 in_lattice(vec3 place, vec2 like) {
    return place.xy;
}

vec3 in_lattice(vec3 place, vec3 like) {
    return place;
}

// The argument that samples take.
#define PLACE(P) in_lattice(P, grid_spacing)

vec3 flow_at(vec3 place) {
    return vec3(sample_grid_u(PLACE(place)), sample_grid_v(PLACE(place)), w_near(place));
}

#include "flow/midpoint.glsl"

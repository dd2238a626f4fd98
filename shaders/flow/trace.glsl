// Paths of the flow, from the velocities at the faces. The stage defines `float w_near(vec3 place)` before it includes
// this (it samples grid.w, or is 0 in a plane), and includes pressure/lattice.glsl.

// The argument that samples take.
#define PLACE(P) in_lattice(P, grid_spacing)

vec3 flow_at(vec3 place) {
    return vec3(sample_grid_u(PLACE(place)), sample_grid_v(PLACE(place)), w_near(place));
}

#include "flow/midpoint.glsl"

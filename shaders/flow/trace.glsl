// Paths of the flow, from the velocities at the faces. A grid without w is a plane.

#include "pressure/lattice.glsl"

#pragma reach grid_u anywhere
#pragma reach grid_v anywhere
#pragma reach grid_w anywhere

// The argument that samples take.
#define PLACE(P) in_lattice(P, grid_spacing)

#if HAS_grid_w
float w_near(vec3 place) {
    return sample_grid_w(place);
}
#else
float w_near(vec3 place) {
    return 0.0;
}
#endif

vec3 flow_at(vec3 place) {
    return vec3(sample_grid_u(PLACE(place)), sample_grid_v(PLACE(place)), w_near(place));
}

#include "flow/midpoint.glsl"

// The flow at any place of a 3-D grid.
#include "pressure/cell_types.glsl"

float w_near(vec3 place) {
    return sample_grid_w(place);
}

#include "pressure/lattice.glsl"
#include "flow/trace.glsl"

// Corners of interpolation. The stage uses a grid under the name `grid`. `axis` is the location of a value: the axis of the
// faces, or -1 at centres.
#include "pressure/lattice.glsl"

ivec3 last_index(int axis) {
    return space_size(grid_cells) - ivec3(axis != 0, axis != 1, axis != 2);
}

// The lowest index of the eight values between which linear interpolation works at a place. `start` is the position of the
// value with index 0.
ivec3 corner_near(vec3 place, vec3 start, int axis) {
    return clamp(ivec3(floor((place - start) / grid_dx)), ivec3(0), last_index(axis));
}

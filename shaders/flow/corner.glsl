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

// A corner as its offsets from a cell in one number, for stages that keep it. Exact for paths of up to 500 cells; longer ones
// are bounded by the values near their end within this range.
uint packed_corner(ivec3 corner, ivec3 cell) {
    ivec3 offset = clamp(corner - cell, ivec3(-1024, -1024, -512), ivec3(1023, 1023, 511));
    return uint(offset.x & 0x7ff) | uint(offset.y & 0x7ff) << 11 | uint(offset.z) << 22;
}

ivec3 unpacked_corner(uint offset, ivec3 cell) {
    int bits = int(offset);
    return cell + ivec3(bitfieldExtract(bits, 0, 11), bitfieldExtract(bits, 11, 11), bits >> 22);
}

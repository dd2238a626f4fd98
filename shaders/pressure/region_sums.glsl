// Sums over regions in 64-bit fixed point: the same bits in any order. A value counts in units of 2^-shift, chosen so that the
// sum of as many of the largest values as the grid has cells stays below 2^62.
#ifndef PRESSURE_REGION_SUMS
#define PRESSURE_REGION_SUMS

#include "pressure/lattice.glsl"

const uint ANCHORED = 1u << 31;

// The shift for values up to `most`: at most 100, so that a power of two in floats has it.
int shift_of(float most) {
    ivec3 size = space_size(grid_cells);
    float cells = float(size.x) * float(size.y) * float(size.z);
    int exponent = int(floatBitsToUint(most) >> 23) - 127 + int(floatBitsToUint(cells) >> 23) - 127;
    return clamp(60 - exponent, -100, 100);
}

float power_of_two(int exponent) {
    return uintBitsToFloat(uint(exponent + 127) << 23);
}

#endif

// Integers from numbers by one addition. Conversions have a fraction of its rate on GPUs, and processors make them one by one.
#ifndef LIB_ROUNDING
#define LIB_ROUNDING

const float ROUNDING_LIMIT = 4194304.0;   // 2^22
const float ROUNDING_SHIFT = 12582912.0;  // 1.5 * 2^23

// The integer nearest to a number, halves to even, from the sum of the number and ROUNDING_SHIFT. The number is below
// ROUNDING_LIMIT in size: the lowest bits of the sum are that integer.
int unshifted(float sum) {
    return floatBitsToInt(sum) - floatBitsToInt(ROUNDING_SHIFT);
}

// For each component.
ivec2 unshifted(vec2 sum) {
    return floatBitsToInt(sum) - floatBitsToInt(ROUNDING_SHIFT);
}

ivec3 unshifted(vec3 sum) {
    return floatBitsToInt(sum) - floatBitsToInt(ROUNDING_SHIFT);
}

// The integer nearest to a number below 2^22 in size, halves to even.
int nearest_integer(float number) {
    precise float sum = number + ROUNDING_SHIFT;
    return unshifted(sum);
}

// For each component.
ivec2 nearest_integer(vec2 number) {
    precise vec2 sum = number + ROUNDING_SHIFT;
    return unshifted(sum);
}

ivec3 nearest_integer(vec3 number) {
    precise vec3 sum = number + ROUNDING_SHIFT;
    return unshifted(sum);
}

#endif

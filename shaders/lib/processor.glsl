// For kernels that work in another way on processors, where a branch costs less than the loads that it skips, atomics are done one
// by one, and so are conversions of numbers. `ON_PROCESSOR` is true there, and on GPUs that run few invocations together.
#ifndef LIB_PROCESSOR
#define LIB_PROCESSOR

// The fewest invocations that run together on the device, which are few on processors. The program sets it.
layout(constant_id = 1001) const uint least_together = 4u;
const bool ON_PROCESSOR = least_together < 32u;

// The bits of this number, 1.5 * 2^23, plus a whole number below 2^22 are those of this number, plus the integer.
const float WHOLE_SHIFTER = 12582912.0;

// The integer of a whole number below 2^22, by a sum.
int whole(float number) {
    precise float sum = number + WHOLE_SHIFTER;
    return floatBitsToInt(sum) - floatBitsToInt(WHOLE_SHIFTER);
}

// For each component.
ivec2 whole(vec2 number) {
    return ivec2(whole(number.x), whole(number.y));
}

ivec3 whole(vec3 number) {
    return ivec3(whole(number.xy), whole(number.z));
}

#endif

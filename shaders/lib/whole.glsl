// Whole numbers of floats as integers, by a sum. Conversions are exact beyond 2^22 too, but processors convert numbers one by one.
#ifndef LIB_WHOLE
#define LIB_WHOLE

// The bits of this number, 1.5 * 2^23, plus a whole number below 2^22 are those of this number, plus the integer.
const float WHOLE_SHIFTER = 12582912.0;

// Whole numbers below 2^22.
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

#version 460
#include "stage.glsl"
#include "render/number.glsl"

// Least and greatest finite number of an attribute, as whole numbers of the same order.

void stage(uint i) {
    float v = number(matter_value(i));
    if (!isnan(v) && !isinf(v)) {
        uint bits = floatBitsToUint(v), order = (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
        // Reads of what is there already spare most atomics.
        if (order < found(0u)) {
            min_found(0u, order);
        }
        if (order > found(1u)) {
            max_found(1u, order);
        }
    }
}

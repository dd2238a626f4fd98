#version 460
#include "stage.glsl"
#include "render/number.glsl"

// Least and greatest finite number of an attribute, as whole numbers of the same order. Each invocation takes every n-th
// particle, so that the two atomics are rare.

void stage(uint i) {
    uint least = 0xffffffffu, most = 0u;
    for (uint particle = i; particle < matter_count; particle += uint(arg.invocations)) {
        float v = number(matter_value(particle));
        if (!isnan(v) && !isinf(v)) {
            least = min(least, ordered(v));
            most = max(most, ordered(v));
        }
    }
    min_found(0u, least);
    max_found(1u, most);
}

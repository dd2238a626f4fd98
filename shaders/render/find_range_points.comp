#version 460
#include "stage.glsl"
#include "render/number.glsl"

#pragma reads matter.value
#pragma reduces min least
#pragma reduces max most

// Least and greatest finite number of an attribute.
void stage(uint particle) {
    float v = number(matter_value(particle));
    if (!isnan(v) && !isinf(v)) {
        min_least(v);
        max_most(v);
    }
}

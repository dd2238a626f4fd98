#version 460
#include "stage.glsl"
#include "pressure/advance.glsl"

// alpha = s r / d A d.
void stage(uint i) {
    float sum = dq(0u);
    advance(i, sum > 0.0 ? dots(0u).x / sum : 0.0);
}

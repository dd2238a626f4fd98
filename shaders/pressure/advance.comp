#version 460
#include "stage.glsl"
#include "pressure/advance.glsl"

// alpha = r r / d A d.
void stage(uint i) {
    float sum = dq(0u);
    advance(i, sum > 0.0 ? square_before(0u) / sum : 0.0);
}

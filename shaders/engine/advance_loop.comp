#version 460
#include "stage.glsl"
#include "engine/loop.glsl"

// An iteration ends. The last one takes all that is left, so that exactly 0 remains.
void stage(uint i) {
    float left = uintBitsToFloat(before(CLOCK_LEFT)), dt = uintBitsToFloat(before(CLOCK_DT));
    set_iteration(CLOCK_ITERATION, before(CLOCK_ITERATION) + 1u);
    set_left(dt < left ? left - dt : 0.0);
}

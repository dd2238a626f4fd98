#version 460
#include "stage.glsl"
#include "engine/turn.glsl"

// A turn ends. The last one takes all that is left, so that exactly 0 remains.
void stage(uint i) {
    float left = uintBitsToFloat(before(CLOCK_LEFT)), dt = uintBitsToFloat(before(CLOCK_DT));
    set_turn(CLOCK_TURN, before(CLOCK_TURN) + 1u);
    set_left(dt < left ? left - dt : 0.0);
}

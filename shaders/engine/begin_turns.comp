#version 460
#include "stage.glsl"
#include "engine/turn.glsl"

// The time of the step, clock.dt, is there to be gone through in turns, with what the turns of the step before have left.
void stage(uint i) {
    set_turn(CLOCK_STEP, clock.step);
    set_turn(CLOCK_FRAME, clock.frame);
    set_turn(CLOCK_SEED, clock.seed);
    set_turn(CLOCK_TURN, 0u);
    set_left(uintBitsToFloat(before(CLOCK_LEFT)) + clock.dt);
}

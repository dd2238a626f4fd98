#version 460
#include "stage.glsl"
#include "engine/loop.glsl"

// Starts a repeat that subdivides the step: its time is clock.dt plus the time left by the previous step.
void stage(uint i) {
    set_iteration(CLOCK_STEP, clock.step);
    set_iteration(CLOCK_FRAME, clock.frame);
    set_iteration(CLOCK_SEED, clock.seed);
    set_iteration(CLOCK_ITERATION, 0u);
    set_left(uintBitsToFloat(before(CLOCK_LEFT)) + clock.dt);
}

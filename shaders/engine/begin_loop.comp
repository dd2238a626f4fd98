#version 460
#include "stage.glsl"
#include "engine/loop.glsl"

// The time of the step, clock.dt, is there to be gone through in iterations, with what those of the step before have left.
void stage(uint i) {
    set_iteration(CLOCK_STEP, clock.step);
    set_iteration(CLOCK_FRAME, clock.frame);
    set_iteration(CLOCK_SEED, clock.seed);
    set_iteration(CLOCK_ITERATION, 0u);
    set_left(uintBitsToFloat(before(CLOCK_LEFT)) + clock.dt);
}

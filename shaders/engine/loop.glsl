// The clock of a repeat that goes through the time of a step. The kernel's own clock is that of the step, or of the
// repeat round this one.

#include "engine/clock.glsl"

// The time that is left (s), and what follows from it: when the next iteration begins, and how long it is until a stage says
// otherwise: as long as the one before.
void set_left(float left) {
    set_iteration(CLOCK_LEFT, floatBitsToUint(left));
    set_iteration(CLOCK_TIME, floatBitsToUint(clock.time + (clock.dt - left)));
    float dt = uintBitsToFloat(before(CLOCK_DT));
    set_iteration(CLOCK_DT, floatBitsToUint(left > 0.0 ? min(dt, left) : dt));
}

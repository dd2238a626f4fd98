// The clock of a repeat that subdivides a step. The kernel's own clock is that of the step, or of the enclosing
// repeat.

#include "engine/clock.glsl"

// Sets the remaining time (s), the time at which the next iteration begins, and its length, which is that of the last
// iteration until a stage changes it.
void set_left(float left) {
    set_iteration(CLOCK_LEFT, floatBitsToUint(left));
    set_iteration(CLOCK_TIME, floatBitsToUint(clock.time + (clock.dt - left)));
    float dt = uintBitsToFloat(before(CLOCK_DT));
    set_iteration(CLOCK_DT, floatBitsToUint(left > 0.0 ? min(dt, left) : dt));
}

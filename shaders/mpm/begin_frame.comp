#version 460
#include "stage.glsl"

// A frame's time, clock.dt, is there to be gone through in steps. pace: length of this step, time left (s), steps so far.
// What an earlier frame could not do is added.
void stage(uint i) {
    set_pace(1u, pace(1u) + clock.dt);
    set_pace(2u, 0.0);
    set_going(0u, 1u);
}

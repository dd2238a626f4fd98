#version 460
#include "stage.glsl"

// Adds the time of a frame, clock.dt, to the time left, which steps then use up. pace: length of this step, time left
// (s), steps so far. The time left includes that of earlier frames.
void stage(uint i) {
    set_pace(1u, pace(1u) + clock.dt);
    set_pace(2u, 0.0);
    set_going(0u, 1u);
}

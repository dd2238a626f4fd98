#version 460
#include "stage.glsl"

void stage(uint i) {
    uint value = i + clock.step;
    // The last elements take far longer, so that most of the device is free for the next stage while they run.
    uint turns = i + 4096u >= first_length ? 200u * arg.turns : arg.turns;
    // A linear congruential generator (Numerical Recipes), for the time it takes.
    for (uint turn = 0; turn < turns; ++turn) value = value * 1664525u + 1013904223u;
    set_first(i, value);
}

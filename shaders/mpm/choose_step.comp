#version 460
#include "stage.glsl"

#pragma reads fastest
#pragma writes fastest clock.dt
#pragma arguments steps

// Chooses the length of the next step: the fastest particle moves at most arg.courant cells (Courant, Friedrichs & Lewy
// 1928), and the length is between arg.shortest and arg.longest s. The steps up to the end of the frame are equally
// long, so that none is tiny. The repeat ends when no time is left.
void stage(uint i) {
    float longest = arg.courant * arg.cell / max(uintBitsToFloat(fastest(0u)), 1.0e-9);
    float count = max(ceil(clock.left / clamp(longest, arg.shortest, arg.longest)), 1.0);
    set_clock_dt(clock.left / count);
    set_fastest(0u, 0u);
}

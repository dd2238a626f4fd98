#version 460
#include "stage.glsl"

// The length of the next step: what is fastest goes arg.courant cells in it at most (Courant, Friedrichs & Lewy 1928), and it
// takes between arg.shortest and arg.longest s. Steps to the end of the frame are equally long, so that none is tiny.
void stage(uint i) {
    float most = arg.courant * arg.cell / max(uintBitsToFloat(fastest(0u)), 1.0e-9);
    float count = max(ceil(clock.left / clamp(most, arg.shortest, arg.longest)), 1.0);
    set_clock_dt(clock.left / count);
    set_fastest(0u, 0u);
}

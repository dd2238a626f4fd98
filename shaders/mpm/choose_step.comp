#version 460
#include "stage.glsl"

// The length of the next step: what is fastest goes arg.courant cells in it at most (Courant, Friedrichs & Lewy 1928), and it
// takes between arg.shortest and arg.longest s. Steps to the end of the frame are equally long, so that none is tiny.
// Nothing left: the repeat is over.
void stage(uint i) {
    float left = pace(1u);
    if (left <= 0.0) {
        set_going(0u, 0u);
        return;
    }
    float most = arg.courant * arg.cell / max(uintBitsToFloat(fastest(0u)), 1.0e-9);
    float count = max(ceil(left / clamp(most, arg.shortest, arg.longest)), 1.0);
    float now = left / count;
    set_pace(0u, now);
    set_pace(1u, count > 1.0 ? left - now : 0.0);
    set_pace(2u, pace(2u) + 1.0);
    set_fastest(0u, 0u);
}

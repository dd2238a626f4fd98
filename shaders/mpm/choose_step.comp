#version 460
#include "stage.glsl"

// Chooses the length of the next step: the fastest particle moves at most arg.courant cells (Courant, Friedrichs & Lewy
// 1928), and the length is between arg.shortest and arg.longest s. The steps up to the end of the frame are equally
// long, so that none is tiny. The repeat ends when no time is left.
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

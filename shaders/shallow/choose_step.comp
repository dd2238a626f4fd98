#version 460
#include "stage.glsl"

#pragma reads fastest
#pragma writes clock.dt
#pragma arguments courant

// The longest step in which waves pass arg.courant cells; the steps up to the end of the frame are equally long.
void stage(uint i) {
    float longest = arg.courant / max(fastest(0u), 1e-9);
    set_clock_dt(clock.left / max(ceil(clock.left / longest), 1.0));
}

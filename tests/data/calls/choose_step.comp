#version 460
#include "stage.glsl"

void stage(uint i) {
    set_clock_dt(0.5 * clock.left);
}

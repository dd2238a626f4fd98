#version 460
#include "stage.glsl"

void stage(uint i) {
    set_ledger(i, vec2(i, clock.step));
}

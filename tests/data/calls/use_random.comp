#version 460
#include "stage.glsl"
#include "lib/random.glsl"

const uint SCATTER = 1u;

void stage(uint i) {
    set_dots_position(i, 8.0 * random4(i, clock.step, SCATTER, clock.seed).xyz);
}

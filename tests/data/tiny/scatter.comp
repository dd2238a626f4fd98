#version 460
#include "stage.glsl"
#include "lib/random.glsl"

void stage(uint i) {
    set_dots_position(i, random4(i, 0u, 1u, clock.seed).xyz * 5.0);
}

#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes dots.position

// Dots at random places of the unit square.
const uint PURPOSE_DOTS = 0x73706431u;

void stage(uint i) {
    set_dots_position(i, random4(i, 0u, PURPOSE_DOTS, clock.seed).xy);
}

#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// New keys every step, and the original indices of the particles.
void stage(uint i) {
    set_p_key(i, pcg4d(uvec4(i, clock.step, 17u, clock.seed)).x);
    set_p_name(i, i);
}

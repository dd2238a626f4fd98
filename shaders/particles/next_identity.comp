#version 460
#include "stage.glsl"

// The number of the next particle.
void stage(uint i) {
    set_next_identity(0u, next_identity(0u) + particles_born);
}

#version 460
#include "stage.glsl"

#pragma writes matter.number

// A particle's number, which stays with it when particles are sorted.
void stage(uint particle) {
    set_matter_number(particle, particle);
}

#version 460
#include "stage.glsl"

// Numbers the newborn particles: one number after the other, over the whole run.
void stage(uint i) {
    set_identity(i, next_identity(0u) + (i - particles_count));
}

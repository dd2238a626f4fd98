#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// Makes the newborn particles live.
void stage(uint i) {
    set_live(particles_count + particles_born, particles_live(LIVE_REFUSED), 0u);
}

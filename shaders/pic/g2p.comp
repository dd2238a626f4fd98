#version 460
#include "stage.glsl"
#include "pic/g2p.glsl"

// For a dense grid, which needs no requests.
void stage(uint particle) {
    grid_to_particle(particle);
}

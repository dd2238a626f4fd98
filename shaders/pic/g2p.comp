#version 460
#include "stage.glsl"
#include "pic/g2p.glsl"

// On a dense grid.
void stage(uint particle) {
    grid_to_particle(particle);
}

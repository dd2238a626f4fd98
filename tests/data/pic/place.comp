#version 460
#include "stage.glsl"

// Particles as a test gives them.
void stage(uint particle) {
    set_matter_position(particle, places(particle));
    set_matter_velocity(particle, speeds(particle));
    set_matter_heat(particle, heats(particle));
    set_matter_affine(particle, arg.turn);
    set_matter_release(particle, arg.release);
}

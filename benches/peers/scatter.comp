#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Random positions in a cube of arg.side (m) around arg.middle, at rest and unsorted.
const uint PURPOSE_SCATTER = 0x70656572u;

void stage(uint particle) {
    vec3 random = random4(particle, 0u, PURPOSE_SCATTER, clock.seed).xyz;
    set_matter_position(particle, arg.middle + arg.side * (random - 0.5));
    set_matter_velocity(particle, vec3(0.0));
}

#version 460
#include "stage.glsl"

// Rotates a particle around the middle of the box, in a number of short turns that sets the amount of work.
void stage(uint i) {
    vec3 position = dots_position(i);
    vec3 velocity = dots_velocity(i);
    float dt = clock.dt / float(max(arg.rounds, 1u));
    for (uint round = 0u; round < arg.rounds; ++round) {
        velocity += dt * (vec3(0.5) - position);
        position += dt * velocity;
    }
    set_dots_position(i, position);
    set_dots_velocity(i, velocity);
    set_dots_id(i, dots_id(i));
}

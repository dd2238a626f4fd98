#version 460
#include "stage.glsl"

#pragma reads matter.velocity matter.mass matter.potential
#pragma reduces sum kinetic
#pragma reduces sum potential
#pragma reduces sum momentum

// Kinetic and potential energy, in which each pair counts once, and momentum.
void stage(uint i) {
    float mass = matter_mass(i);
    vec3 velocity = matter_velocity(i);
    sum_kinetic(0.5 * mass * dot(velocity, velocity));
    sum_potential(0.5 * mass * matter_potential(i));
    sum_momentum(mass * velocity);
}

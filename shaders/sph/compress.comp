#version 460
#include "stage.glsl"
#include "sph/pairs.glsl"

#pragma reads matter.velocity matter.density matter.acceleration
#pragma writes matter.density_rate
#pragma arguments volume sound delta gravity rest_density
#pragma reach matter_velocity anywhere
#pragma reach matter_density anywhere
#pragma reach matter_acceleration anywhere

// Rate of change of the density (docs/examples.md, equation 4): continuity with the velocities of the end of the step (Colagrossi &
// Landrini 2003: densities stay positive when spray separates), and the diffusion of Molteni & Colagrossi 2009, of densities
// beyond the hydrostatic ones (Fourtakas et al. 2019, here to first order).
vec3 here, velocity;
float density, rate;

void meet(Pair pair) {
    float there = matter_density(pair.other);
    vec3 other = matter_velocity(pair.other) + clock.dt * matter_acceleration(pair.other);
    rate -= arg.volume * density * pair.slope * dot(velocity - pair.image * other, pair.away);
    float hydrostatic = arg.rest_density * dot(arg.gravity, pair.place - here) / (arg.sound * arg.sound);
    rate += 2.0 * arg.delta * arg.smoothing * arg.sound * (there - density - hydrostatic) * arg.volume * pair.slope;
}

void stage(uint i) {
    here = matter_position(i);
    velocity = matter_velocity(i) + clock.dt * matter_acceleration(i);
    density = matter_density(i);
    rate = 0.0;
    meet_neighbours(i);
    set_matter_density_rate(i, rate);
}

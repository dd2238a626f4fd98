#version 460
#include "stage.glsl"
#include "sph/pairs.glsl"

#pragma reads matter.velocity matter.pressure
#pragma writes matter.acceleration
#pragma arguments volume rest_density sound alpha gravity
#pragma reach matter_velocity anywhere
#pragma reach matter_pressure anywhere

// Acceleration by pressure (Colagrossi & Landrini 2003), artificial viscosity (Monaghan 1992) and gravity: docs/examples.md,
// equation 3. Volumes are those at rest, so that light spray gets no large accelerations. What a particle does to another, the
// other does to it.
vec3 velocity, push;
float pressure;

void meet(Pair pair) {
    float part = (pressure + matter_pressure(pair.other)) / arg.rest_density;
    float approach = dot(velocity - pair.image * matter_velocity(pair.other), pair.away);
    if (approach < 0.0) {
        part -= arg.alpha * arg.sound * arg.smoothing * approach / (pair.r2 + 0.01 * arg.smoothing * arg.smoothing);
    }
    push += arg.volume * part * pair.slope * pair.away;
}

void stage(uint i) {
    velocity = matter_velocity(i);
    pressure = matter_pressure(i);
    push = vec3(0.0);
    meet_neighbours(i);
    set_matter_acceleration(i, arg.gravity + push);
}

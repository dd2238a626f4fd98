#version 460
#include "stage.glsl"
#include "sph/pairs.glsl"

#pragma reads matter.velocity matter.density matter.pressure
#pragma writes acceleration
#pragma arguments mass sound alpha gravity
#pragma reach matter_velocity anywhere
#pragma reach matter_density anywhere
#pragma reach matter_pressure anywhere

// Acceleration by pressure (Colagrossi & Landrini 2003), artificial viscosity (Monaghan 1992) and gravity: docs/examples.md,
// equation 3. What a particle does to another, the other does to it.
vec3 velocity, push;
float density, pressure;

void meet(Pair pair) {
    float other = matter_density(pair.other);
    float part = (pressure + matter_pressure(pair.other)) / (density * other);
    float approach = dot(velocity - pair.image * matter_velocity(pair.other), pair.away);
    if (approach < 0.0) {
        float rate = arg.smoothing * approach / (pair.r2 + 0.01 * arg.smoothing * arg.smoothing);
        part -= arg.alpha * arg.sound * rate / (0.5 * (density + other));
    }
    push += arg.mass * part * pair.slope * pair.away;
}

void stage(uint i) {
    velocity = matter_velocity(i);
    density = matter_density(i);
    pressure = matter_pressure(i);
    push = vec3(0.0);
    meet_neighbours(i);
    set_acceleration(i, arg.gravity + push);
}

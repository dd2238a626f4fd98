// Grains that hit a bed of equal grains: some rebound, and throw others out of it. Include after stage.glsl.
#ifndef DRIFT_GRAINS_SPLASH
#define DRIFT_GRAINS_SPLASH
#include "drift/grains/grain.glsl"

#pragma arguments rebound ejection

const float DEGREES = 0.017453293;

// The chance that a grain of this speed, m/s, rebounds (Anderson & Haff 1991).
float chance_of_rebound(float speed) {
    return arg.chance * (1.0 - exp(-arg.sharpness * speed));
}

// An angle above the bed: exponentially distributed with a mean, degrees, and cut at 90 degrees (Kok & Renno 2009).
float angle_above(float mean, float random) {
    return -mean * DEGREES * log(1.0 - random * (1.0 - exp(-90.0 / mean)));
}

// The mean speed of grains that a grain of this speed ejects, m/s.
float speed_of_ejecta(float speed) {
    return arg.ejecta_speed * pow(speed, 0.3);
}

// The mean number of grains that an impact ejects (Comola & Lehning 2017): that for which energy suffices, or momentum along
// the bed. Speeds of ejecta are exponentially distributed, so the mean of their squares is twice that of their mean.
// `along` is the cosine of the angle of impact.
float number_of_ejecta(float speed, float along) {
    float rebounds = chance_of_rebound(speed), mean = speed_of_ejecta(speed), mass = grain_mass();
    float energy = (1.0 - rebounds * arg.restitution * arg.restitution) * (1.0 - arg.energy_lost)
        * 0.5 * mass * speed * speed / (mass * mean * mean + arg.cohesion);
    // The speed over the mean, also where both are 0.
    float ratio = pow(speed, 0.7) / arg.ejecta_speed;
    float momentum = (1.0 - rebounds * arg.restitution - arg.momentum_lost) * along * ratio
        / cos(arg.ejecta_angle * DEGREES);
    return max(min(energy, momentum), 0.0);
}

#endif

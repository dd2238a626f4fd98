// Weakly compressible water: Tait's equation of state (Becker & Teschner 2007, equation 7),
//     p = K / gamma (J^-gamma - 1),  tau = -p J I
// where J is the volume divided by the rest volume, stored per particle. Water has no tension: J is at most 1, so that
// separated drops do not attract each other.
#include "mpm/matter.glsl"

mat3 kirchhoff(uint particle, mat3 gradient) {
    float j = clamp(matter_volume(particle) * (1.0 + clock.dt * trace(gradient)), 0.5, 1.0);
    set_matter_volume(particle, j);
    float pressure = arg.bulk / (arg.density * arg.gamma) * (pow(j, -arg.gamma) - 1.0);
    return mat3(-pressure * j);
}

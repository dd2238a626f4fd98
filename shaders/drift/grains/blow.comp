#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/grains/column.glsl"
#include "drift/grains/grain.glsl"

#pragma reads wind impulse starts bed grains.spent
#pragma writes wind friction births
#pragma arguments air size u_star threshold entrainment inertia

const uint PURPOSE_ENTRAIN = 43u;
const int MAX_LEVELS = 64;

// The wind after a step of
//     rho du/dt = d/dz (rho (kappa z)^2 |du/dz| du/dz) - F,
// implicit, with the friction u*^2 at the top and F, the momentum that grains take, in each level. Differences of levels are
// exact for the logarithmic law. Returns the friction velocity of the bed, m/s.
float blow() {
    float level = level_height(), area = arg.size.x * arg.size.y;
    float grains = grain_mass() / (IMPULSE_UNITS * arg.air_density * area);
    // The conductance of the border above a level, m/s, and the factors of Thomas's algorithm.
    float above[MAX_LEVELS], lower = KARMAN / (0.5 * level), below = lower * lower * abs(wind(0u));
    float factor[MAX_LEVELS], value[MAX_LEVELS];
    float bed = below, last_factor = 0.0, last_value = 0.0;
    for (int k = 0; k < arg.levels; k++) {
        bool top = k == arg.levels - 1;
        float slope = KARMAN / level;
        float conductance = top ? 0.0 : slope * slope * abs(wind(uint(k) + 1u) - wind(uint(k)));
        float mass = arg.inertia * (height_of(float(k) + 1.0) - height_of(float(k))) / clock.dt;
        float given = mass * wind(uint(k)) - grains * float(impulse(uint(k))) / clock.dt;
        given += top ? arg.u_star * arg.u_star : 0.0;
        float divisor = mass + below + conductance - below * last_factor * (k > 0 ? 1.0 : 0.0);
        last_value = (given + (k > 0 ? below * last_value : 0.0)) / divisor;
        last_factor = conductance / divisor;
        factor[k] = last_factor;
        value[k] = last_value;
        below = conductance;
    }
    float next = 0.0;
    for (int k = arg.levels - 1; k >= 0; k--) {
        next = value[k] + factor[k] * next;
        set_wind(uint(k), next);
    }
    return sqrt(max(bed * next, 0.0));
}

// The wind, and the number of grains that leave the bed: those that others ejected, and those that the wind lifts where its
// friction on the bed is above the threshold, C / (8 pi d^2) (tau - tau_t) per area and time (Doorschot & Lehning 2002). No
// more leave than lie on the bed.
void stage(uint one) {
    float friction_of_bed = blow();
    float excess = arg.air_density * (friction_of_bed * friction_of_bed - arg.threshold * arg.threshold);
    float rate = arg.entrainment / (8.0 * 3.1415927 * arg.diameter * arg.diameter) * max(excess, 0.0);
    float lifted = rate * arg.size.x * arg.size.y * clock.dt;
    lifted += random4(0u, clock.step, PURPOSE_ENTRAIN, clock.seed).x;
    set_friction(0u, friction_of_bed);
    set_births(0u, min(starts(grains_capacity) + uint(lifted), bed(0u)));
}

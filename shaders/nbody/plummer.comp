#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes matter.position matter.velocity matter.mass
#pragma arguments clusters apart towards

// Clusters of Plummer 1911 in equilibrium, drawn as in Aarseth, Henon & Wielen 1974, "A comparison of numerical methods for the
// study of star clusters", appendix, in units of Henon: G = 1, and each cluster alone has the mass 1 and the energy -1/4. Even
// particles are those of one cluster, odd ones those of the other, if they are apart; each cluster has half of them.
const uint PURPOSE_PLACE = 0x706c616eu, PURPOSE_SPEED = 0x73706565u;

vec3 direction(vec2 random) {
    float z = 1.0 - 2.0 * random.x, across = sqrt(max(1.0 - z * z, 0.0));
    return vec3(across * cos(6.2831853 * random.y), across * sin(6.2831853 * random.y), z);
}

void stage(uint i) {
    vec4 random = random4(i, 0u, PURPOSE_PLACE, clock.seed);
    // The mass inside r is r^3 / (1 + r^2)^(3/2). The outermost 0.1 % of it is left out.
    float mass = 0.999 * max(random.z, 1e-6), radius = inversesqrt(pow(mass, -2.0 / 3.0) - 1.0);
    // The speed over that of escape has the density q^2 (1 - q^2)^(7/2), which is below 0.1.
    float q = 0.0;
    vec4 draw;
    for (uint attempt = 0u; attempt < 64u; attempt++) {
        draw = random4(i, attempt, PURPOSE_SPEED, clock.seed);
        q = draw.z;
        float rest = 1.0 - q * q;
        if (0.1 * draw.w < q * q * rest * rest * rest * sqrt(rest)) {
            break;
        }
    }
    float speed = q * 1.41421356 * pow(1.0 + radius * radius, -0.25);
    // From units in which Plummer's radius is 1.
    const float SCALE = 0.589048623;    // 3 pi / 16
    float side = (i & 1u) == 0u ? -0.5 : 0.5;
    set_matter_position(i, SCALE * radius * direction(random.xy) + side * arg.apart);
    set_matter_velocity(i, speed / sqrt(SCALE) * direction(draw.xy) + side * arg.towards);
    set_matter_mass(i, arg.clusters / float(matter_count));
}

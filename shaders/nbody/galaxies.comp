#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes matter.position matter.velocity matter.mass
#pragma arguments galaxies

// Spheres of Plummer 1911 in equilibrium, drawn as in Aarseth, Henon & Wielen 1974, "A comparison of numerical methods for the
// study of star cluster dynamics", in units of Henon: G = 1, and each alone has the mass 1 and the energy -1/4. Around them discs
// of light particles on circular orbits, as in Toomre & Toomre 1972, "Galactic bridges and tails". Even particles are those of
// the first galaxy; odd ones, if there are two, those of the second.
const uint PURPOSE_PLACE = 0x706c616eu, PURPOSE_SPEED = 0x73706565u;
const float SCALE = 0.589048623;    // Plummer's radius, 3 pi / 16

vec3 direction(vec2 random) {
    float z = 1.0 - 2.0 * random.x, across = sqrt(max(1.0 - z * z, 0.0));
    return vec3(across * cos(6.2831853 * random.y), across * sin(6.2831853 * random.y), z);
}

// The speed over that of escape has the density q^2 (1 - q^2)^(7/2), which is below 0.1.
float escape_share(uint i) {
    float q = 0.0;
    for (uint attempt = 0u; attempt < 64u; attempt++) {
        vec4 draw = random4(i, attempt, PURPOSE_SPEED, clock.seed);
        q = draw.x;
        float rest = 1.0 - q * q;
        if (0.1 * draw.y < q * q * rest * rest * rest * sqrt(rest)) {
            break;
        }
    }
    return q;
}

void stage(uint i) {
    uint side = arg.count > 1.0 ? i & 1u : 0u, each = matter_count / uint(arg.count);
    uint number = arg.count > 1.0 ? i / 2u : i, in_discs = uint(arg.disc_share * float(each));
    vec4 random = random4(i, 0u, PURPOSE_PLACE, clock.seed);
    vec3 place, velocity;
    if (number < in_discs) {
        vec3 axis = normalize(side == 0u ? arg.axis : arg.other_axis);
        vec3 east = normalize(cross(abs(axis.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), axis));
        vec3 outward = cos(6.2831853 * random.x) * east + sin(6.2831853 * random.x) * cross(axis, east);
        float radius = mix(arg.disc.x, arg.disc.y, random.y), r2 = radius * radius + SCALE * SCALE;
        place = radius * outward;
        velocity = radius * pow(r2, -0.75) * cross(axis, outward);
    } else {
        // The mass inside r is r^3 / (1 + r^2)^(3/2). The outermost 0.1 % of it is left out.
        float radius = inversesqrt(pow(0.999 * max(random.z, 1e-6), -2.0 / 3.0) - 1.0);
        float speed = escape_share(i) * 1.41421356 * pow(1.0 + radius * radius, -0.25);
        place = SCALE * radius * direction(random.xy);
        velocity = speed / sqrt(SCALE) * direction(random4(i, 1u, PURPOSE_PLACE, clock.seed).xy);
    }
    float half_way = arg.count > 1.0 ? float(side) - 0.5 : 0.0;
    set_matter_position(i, place + half_way * arg.apart);
    set_matter_velocity(i, velocity + half_way * arg.towards);
    set_matter_mass(i, number < in_discs ? 1e-3 / float(each) : 1.0 / float(each - in_discs));
}

#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes modes
#pragma arguments wind

// Mode `i` of a turbulent wind (pic/turbulence.glsl). Lengths of waves fall from arg.longest to arg.shortest (m) in equal
// ratios; each has the energy of its share of Kolmogorov's spectrum, k^(-5/3) dk with dk ~ k, so its amplitude is
// proportional to k^(-1/3); together they have the root mean square arg.gusts (m/s) along each axis. It turns over at the rate
// k times its speed.
const uint PURPOSE_MODES = 0x70696331u;

vec3 direction(vec2 random) {
    float height = 2.0 * random.x - 1.0, angle = 6.28318531 * random.y;
    float flat_length = sqrt(max(1.0 - height * height, 0.0));
    return vec3(flat_length * cos(angle), flat_length * sin(angle), height);
}

void stage(uint i) {
    uint count = modes_length / 3u;
    float ratio = pow(arg.shortest / arg.longest, 1.0 / float(max(count - 1u, 1u)));
    float energy = 0.0;  // of all modes, for the first one's amplitude 1
    for (uint k = 0u; k < count; k++) {
        energy += pow(ratio, 2.0 / 3.0 * float(k));
    }
    float speed = arg.gusts * sqrt(3.0 / energy) * pow(ratio, float(i) / 3.0);
    vec4 random = random4(i, 0u, PURPOSE_MODES, clock.seed);
    vec4 more = random4(i, 1u, PURPOSE_MODES, clock.seed);
    vec3 way = direction(random.xy);
    float wave_number = 6.28318531 / (arg.longest * pow(ratio, float(i)));
    // Two unit vectors across the wave; an angle between them shares the energy of the mode.
    vec3 across = normalize(cross(way, abs(way.z) < 0.8 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
    vec3 other = cross(way, across);
    float angle = 6.28318531 * random.z, twist = 6.28318531 * random.w;
    vec3 a = cos(angle) * across + sin(angle) * other;
    vec3 b = cos(twist) * across + sin(twist) * other;
    float turning = (more.x < 0.5 ? -1.0 : 1.0) * wave_number * speed;
    set_modes(3u * i, vec4(wave_number * way, turning));
    set_modes(3u * i + 1u, vec4(speed * a, 0.0));
    set_modes(3u * i + 2u, vec4(speed * b, 0.0));
}

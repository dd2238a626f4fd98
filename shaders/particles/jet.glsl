// Water that leaves a round nozzle at arg.at (m) in arg.interval (s), at arg.speed (m/s) along arg.towards: the newborn
// particles fill a cylinder of arg.radius (m), as long as the distance in this time. Seen from the front they form a spiral of
// equal areas (Vogel 1979, "A better way to construct the sunflower head"), turned at random each time; arg.spread is the
// radial speed (m/s) at the nozzle's edge.
#include "lib/random.glsl"

const uint PURPOSE_JET = 0x6d706d6au;
const float TURN = 6.2831853;
const float GOLDEN_ANGLE = 2.39996323;

struct Drop {
    vec3 position, velocity;
};

// Newborn particle `number` of `born`.
Drop drop_of_jet(uint number, uint born) {
    float turn = TURN * random4(0u, clock.step, PURPOSE_JET, clock.seed).w;
    vec3 random = random4(1u + number, clock.step, PURPOSE_JET, clock.seed).xyz;
    vec3 along = arg.towards / sqrt(dot(arg.towards, arg.towards));
    vec3 other = abs(along.z) < 0.7 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0);
    vec3 across = cross(along, other);
    across /= sqrt(dot(across, across));
    float part = sqrt((float(number) + random.x) / float(born));
    float angle = turn + GOLDEN_ANGLE * float(number);
    vec3 aside = part * (cos(angle) * across + sin(angle) * cross(along, across));
    vec3 velocity = arg.speed * along + arg.spread * aside;
    return Drop(arg.at + arg.radius * aside + random.y * arg.interval * velocity, velocity);
}

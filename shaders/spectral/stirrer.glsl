// A stirrer on a figure of eight in the unit square: where it is, and its direction, at clock.time.
#include "spectral/waves.glsl"

struct Stirrer {
    vec2 place, towards;
};

Stirrer stirrer_at(float time) {
    float angle = TURN * time / arg.period;
    vec2 way = vec2(-arg.reach.x * sin(angle), 2.0 * arg.reach.y * cos(2.0 * angle));
    return Stirrer(0.5 + vec2(arg.reach.x * cos(angle), arg.reach.y * sin(2.0 * angle)), way / sqrt(dot(way, way)));
}

// 1 at the stirrer, falling off over arg.radius (m), in a periodic unit square.
float near(vec2 place, Stirrer stirrer) {
    vec2 away = place - stirrer.place;
    away -= floor(away + 0.5);
    return exp(-0.5 * dot(away, away) / (arg.radius * arg.radius));
}

#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

#pragma reads box.v box.dye
#pragma writes box.v box.dye
#pragma arguments stir brush

// A stirrer on a figure of eight in the unit square: where it is, and its direction.
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

// The stirrer accelerates the fluid (arg.push in m/s^2) and colours it. While the pointer is held, it is the stirrer: at
// arg.at, and it pushes the way it moved.
void stage(ivec2 cell) {
    Stirrer stirrer = stirrer_at(clock.time);
    if (arg.held > 0.0) {
        float way = length(arg.moved);
        stirrer = Stirrer(arg.at, way > 0.0 ? arg.moved / way : vec2(0.0));
    }
    float part = near(box_position(cell), stirrer);
    set_box_v(cell, box_v(cell) + clock.dt * arg.push * part * stirrer.towards);
    vec3 tint = 0.5 + 0.5 * cos(TURN * (clock.time / arg.tints + vec3(0.0, 0.33, 0.67)));
    set_box_dye(cell, mix(box_dye(cell), tint, min(arg.feed * clock.dt * part, 1.0)));
}

#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

// A stirrer on a closed path through the middle of a periodic unit cube accelerates the fluid (arg.push in m/s^2) and colours it.
void stage(ivec3 cell) {
    float angle = TURN * clock.time / arg.period;
    vec3 stirrer = 0.5 + arg.reach * vec3(cos(angle), sin(2.0 * angle), sin(3.0 * angle));
    vec3 way = arg.reach * vec3(-sin(angle), 2.0 * cos(2.0 * angle), 3.0 * cos(3.0 * angle));
    vec3 away = box_position(cell) - stirrer;
    away -= floor(away + 0.5);
    float part = exp(-0.5 * dot(away, away) / (arg.radius * arg.radius));
    set_box_v(cell, box_v(cell) + clock.dt * arg.push * part * vec4(way / sqrt(dot(way, way)), 0.0));
    vec3 tint = 0.5 + 0.5 * cos(TURN * (clock.time / arg.tints + vec3(0.0, 0.33, 0.67)));
    set_box_dye(cell, mix(box_dye(cell), tint, min(arg.feed * clock.dt * part, 1.0)));
}

#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

#pragma reads box.v box.dye
#pragma writes box.v box.dye
#pragma arguments stir

// A stirrer on a closed path through the middle of a periodic unit cube accelerates the fluid (arg.push in m/s^2) and colours it.
void stage(ivec3 cell) {
    // Sines and cosines of two and three times the angle; a driver may turn sin(3 * angle) into the sine of another product.
    float angle = TURN * clock.time / arg.period, c = cos(angle), s = sin(angle);
    vec3 stirrer = 0.5 + arg.reach * vec3(c, 2.0 * s * c, s * (3.0 - 4.0 * s * s));
    vec3 way = arg.reach * vec3(-s, 2.0 - 4.0 * s * s, 3.0 * c * (4.0 * c * c - 3.0));
    vec3 away = box_position(cell) - stirrer;
    away -= floor(away + 0.5);
    float part = exp(-0.5 * dot(away, away) / (arg.radius * arg.radius));
    set_box_v(cell, box_v(cell) + clock.dt * arg.push * part * vec4(way / sqrt(dot(way, way)), 0.0));
    vec3 tint = 0.5 + 0.5 * cos(TURN * (clock.time / arg.tints + vec3(0.0, 0.33, 0.67)));
    set_box_dye(cell, mix(box_dye(cell), tint, min(arg.feed * clock.dt * part, 1.0)));
}

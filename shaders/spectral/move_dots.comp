#version 460
#include "stage.glsl"

#pragma reads dots.position box.v
#pragma writes dots.position
// Half of the farthest way, interpolation, and rounding.
#pragma reach box_v 10
// Whole if ranks cut the square along another axis than y.
#pragma whole

// The farthest way in a step, in cells along each axis, as in advect.comp.
const float FARTHEST = 16.0;

// The way of a dot in a step with the velocity at a place.
vec2 way(vec2 place) {
    float most = FARTHEST * box_dx;
    return clamp(clock.dt * sample_box_v(place), -most, most);
}

// Dots move with the flow by the midpoint rule, round a periodic unit square.
void stage(uint i) {
    vec2 place = dots_position(i);
    set_dots_position(i, fract(place + way(place + 0.5 * way(place))));
}

#version 460
#include "stage.glsl"

#pragma reads dots.position box.v
#pragma writes dots.position

// Dots move with the flow by the midpoint rule, round a periodic unit square.
void stage(uint i) {
    vec2 place = dots_position(i);
    vec2 half_way = place + 0.5 * clock.dt * sample_box_v(place);
    set_dots_position(i, fract(place + clock.dt * sample_box_v(half_way)));
}

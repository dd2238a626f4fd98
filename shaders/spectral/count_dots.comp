#version 460
#include "stage.glsl"

#pragma reads dots.position
#pragma writes view.dots

// Dots in each pixel, y up.
void stage(uint i) {
    vec2 at = dots_position(i);
    ivec2 pixel = ivec2(vec2(at.x, 1.0 - at.y) * vec2(view_size));
    add_view_dots(clamp(pixel, ivec2(0), view_size - 1), 1u);
}

#version 460
#include "stage.glsl"

#pragma reads left.color right.color
#pragma writes view.color
#pragma constant LAYOUT layout

// Two pictures of parallel eyes as one for both (Eidissen 2009, "Utilizing GPUs for Real-Time Visualization of Snow"). Each is
// moved by arg.shift pixels, so that things at the distance of convergence coincide in both. LAYOUT: 0 side by
// side, 1 anaglyph (the left eye sees red, the right one green and blue), 2 even rows from the top for the left eye.

layout(constant_id = 0) const int LAYOUT = 1;

// The colour that an eye sees at a position of the screen, from 0 to 1; clamped to the border of its picture.
vec4 seen(bool of_right, vec2 at) {
    vec2 size = vec2(of_right ? right_size : left_size);
    ivec2 pixel = ivec2(floor(at * size + vec2(of_right ? -arg.shift : arg.shift, 0.0)));
    pixel.x = clamp(pixel.x, 0, int(size.x) - 1);
    return of_right ? right_color(pixel) : left_color(pixel);
}

void stage(ivec2 pixel) {
    vec2 at = (vec2(pixel) + 0.5) / vec2(view_size);
    vec4 color;
    if (LAYOUT == 0) {
        color = seen(at.x >= 0.5, vec2(fract(2.0 * at.x), at.y));
    } else if (LAYOUT == 1) {
        color = vec4(seen(false, at).r, seen(true, at).gb, 1.0);
    } else {
        color = seen((pixel.y & 1) == 1, at);
    }
    set_view_color(pixel, color);
}

#version 460
#include "stage.glsl"
#include "render/colors.glsl"
#include "render/ends.glsl"
#include "render/text.glsl"

#pragma writes view.color
#pragma arguments map legend
#pragma argument int map

// A bar of the colours at the right of a picture, with ticks and numbers.

void stage(ivec2 pixel) {
    int dot = int(arg.dot), left = view_size.x - 64 * dot, right = left + 10 * dot;
    int top = 12 * dot, bottom = view_size.y - 20 * dot;
    if (arg.bar == 0.0 || pixel.x < left - dot || bottom - top < 20 * dot) {
        return;
    }
    vec2 ends = color_ends();
    float low = ends.x, high = ends.y, per_pixel = (high - low) / float(bottom - top);
    bool outside = pixel.y < top || pixel.y >= bottom || pixel.x < left || pixel.x >= right;
    bool ink = outside && pixel.y >= top - dot && pixel.y < bottom + dot && pixel.x < right + dot;
    if (!outside) {
        float t = (float(bottom - pixel.y) - 0.5) / float(bottom - top);
        set_view_color(pixel, vec4(color_of(arg.map, t), 1.0));
        return;
    }
    Step s = nice_step(high - low, clamp(float(bottom - top) / float(16 * dot), 2.0, 8.0));
    int first = int(ceil(low / s.size - 1e-3)), last = int(floor(high / s.size + 1e-3));
    int n = clamp(int(round((low + per_pixel * float(bottom - pixel.y)) / s.size)), first, last);
    int row = bottom - int(round((float(n) * s.size - low) / per_pixel));
    ink = ink || pixel.x >= right && pixel.x < right + 4 * dot && abs(2 * (pixel.y - row) + 1) <= dot;
    ink = ink || text_ink(tick_text(n, s), pixel - ivec2(right + 7 * dot, row - 7 * dot / 2), dot);
    if (ink) {
        set_view_color(pixel, vec4(arg.ink, 1.0));
    }
}

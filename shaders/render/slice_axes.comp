#version 460
#include "stage.glsl"
#include "render/slice.glsl"
#include "render/text.glsl"

#pragma reads grid.value
#pragma writes view.color
#pragma arguments slice legend

// A frame round a slice with ticks and numbers in metres, and a bar of a round length in its lower right corner.

bool axis_ink(Slice s, ivec2 pixel, int axis, int dot) {
    int from = axis == 0 ? s.frame.x : s.frame.y, to = axis == 0 ? s.frame.z : s.frame.w;
    int along = pixel[axis], beyond = axis == 0 ? pixel.y - s.frame.w : s.frame.x - 1 - pixel.x;
    if (beyond < 0) {
        return false;
    }
    float low = s.low[axis], extent = float(to - from) * s.pixel;
    Step t = nice_step(extent, clamp(float(to - from) / float((axis == 0 ? 44 : 20) * dot), 1.0, 6.0));
    int first = int(ceil(low / t.size - 1e-3)), last = int(floor((low + extent) / t.size + 1e-3));
    float place = axis == 0 ? float(along - from) : float(to - along);
    int n = clamp(int(round((low + s.pixel * place) / t.size)), first, last);
    int offset = int(round((float(n) * t.size - low) / s.pixel));
    int tick = axis == 0 ? from + offset : to - offset;
    if (beyond < 4 * dot && abs(2 * (along - tick) + 1) <= dot) {
        return true;
    }
    Text text = tick_text(n, t);
    if (n == last) {
        append(text, SPACE);
        append(text, LETTER_M);
    }
    int width = text_width(text, dot);
    ivec2 corner = axis == 0 ? ivec2(tick - width / 2, s.frame.w + 7 * dot) : ivec2(s.frame.x - 7 * dot - width, tick - 7 * dot / 2);
    return text_ink(text, pixel - corner, dot);
}

void stage(ivec2 pixel) {
    int dot = int(arg.dot);
    Slice s = slice_in(view_size, int(arg.axis), arg.at, slice_margins(arg.axes, arg.bar), dot);
    if (arg.axes != 0.0 && !in_frame(s, pixel)) {
        bool border = all(greaterThanEqual(pixel, s.frame.xy - dot)) && all(lessThan(pixel, s.frame.zw + dot));
        if (border || axis_ink(s, pixel, 0, dot) || axis_ink(s, pixel, 1, dot)) {
            set_view_color(pixel, vec4(arg.ink, 1.0));
        }
    }
    if (arg.scale_bar != 0.0 && in_frame(s, pixel)) {
        // White on a dark plate, so that it shows on any colour.
        Step t = nice_step(0.1 * float(s.frame.z - s.frame.x) * s.pixel, 1.0);
        int n = 1;
        Text text = tick_text(n, t);
        append(text, SPACE);
        append(text, LETTER_M);
        int bar = int(round(t.size / s.pixel)), width = max(bar, text_width(text, dot));
        ivec2 high = s.frame.zw - 4 * dot, low = high - ivec2(width + 6 * dot, 17 * dot), p = pixel - low;
        if (all(greaterThanEqual(p, ivec2(0))) && all(lessThan(pixel, high))) {
            int start = (width + 6 * dot - bar) / 2;
            bool white = p.x >= start && p.x < start + bar && p.y >= 12 * dot && p.y < 14 * dot
                || text_ink(text, p - ivec2((width + 6 * dot - text_width(text, dot)) / 2, 3 * dot), dot);
            set_view_color(pixel, white ? vec4(1.0) : vec4(0.08, 0.08, 0.1, 1.0));
        }
    }
}

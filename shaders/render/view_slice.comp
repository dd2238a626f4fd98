#version 460
#include "stage.glsl"
#include "render/colors.glsl"
#include "render/ends.glsl"
#include "render/slice.glsl"
#include "render/slice_values.glsl"

#pragma reads grid.value
#pragma writes view.color
#pragma arguments slice map contours legend
#pragma argument int map

// A slice of a grid in colours, with lines of equal value (docs/pictures.md).

float ink_at(float value, float level, float slope) {
    return clamp(0.5 * arg.width + 0.5 - abs(value - level) / slope, 0.0, 1.0);
}

// Share of a pixel that lines cover: the distance to a line is the difference to its level over the slope per pixel.
float contour_ink(Slice s, vec2 pixel, float low, float high) {
    if (arg.count < 1.0 && arg.given < 1.0) {
        return 0.0;
    }
    float value = value_at(in_box(s, slice_place(s, pixel)), true);
    vec2 slope;
    for (int k = 0; k < 2; k++) {
        vec2 aside = k == 0 ? vec2(0.5, 0.0) : vec2(0.0, 0.5);
        slope[k] = value_at(in_box(s, slice_place(s, pixel + aside)), true) - value_at(in_box(s, slice_place(s, pixel - aside)), true);
    }
    float steepness = length(slope), ink = 0.0;
    if (steepness <= 1e-6 * (high - low)) {
        return 0.0;
    }
    if (arg.count >= 1.0) {
        // Level k of n is k / (n + 1) of the way from end to end.
        float part = (high - low) / (arg.count + 1.0);
        float nearest = clamp(round((value - low) / part), 1.0, arg.count);
        ink = ink_at(value, low + part * nearest, steepness);
    }
    for (int k = 0; k < min(int(arg.given), 4); k++) {
        ink = max(ink, ink_at(value, arg.levels[k], steepness));
    }
    return ink;
}

void stage(ivec2 pixel) {
    Slice s = slice_in(view_size, int(arg.axis), arg.at, slice_margins(arg.axes, arg.bar), int(arg.dot));
    if (!in_frame(s, pixel)) {
        set_view_color(pixel, vec4(arg.paper, 1.0));
        return;
    }
    vec2 ends = color_ends();
    float value = value_at(in_box(s, slice_place(s, vec2(pixel) + 0.5)), arg.smooth_cells != 0.0);
    vec3 color = color_of(arg.map, (value - ends.x) / (ends.y - ends.x));
    set_view_color(pixel, vec4(mix(color, arg.line, contour_ink(s, vec2(pixel) + 0.5, ends.x, ends.y)), 1.0));
}

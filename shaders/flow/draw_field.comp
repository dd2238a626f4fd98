#version 460
#include "stage.glsl"
#include "render/colormaps.glsl"
#include "render/text.glsl"
#include "lib/bspline.glsl"
#include "pressure/cell_types.glsl"

#pragma reads grid.field grid.cell_type
#pragma writes view.color
#pragma arguments range legend

// A field of a 2-D grid in colours, solid cells dark, and a bar of the colours with their values. The grid fills the image, y up.

vec3 color_of(float share) {
    return arg.both_signs != 0.0 ? diverging(2.0 * share - 1.0) : viridis(share);
}

vec4 weights(float t) {
    float t2 = t * t, t3 = t2 * t;
    return 0.5 * vec4(-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2);
}

// A cubic through the centres of cells (Catmull & Rom 1974), so that cells do not show.
float field_at(vec2 at) {
    ivec2 low = ivec2(floor(at - 0.5));
    vec4 across = weights(at.x - 0.5 - float(low.x)), up = weights(at.y - 0.5 - float(low.y));
    float sum = 0.0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) {
            sum += across[i] * up[j] * grid_field(clamp(low + ivec2(i - 1, j - 1), ivec2(0), grid_cells - 1));
        }
    }
    return sum;
}

// The share of solid cells of all kinds, without their marks, by a spline. Its level 1/2 is on the faces of straight walls, and
// rounds the steps of oblique ones.
float solid_at(vec2 at) {
    Spline s = spline_at(vec3(at, 0.5));
    float sum = 0.0;
    for (int k = 0; k < 9; k++) {
        ivec2 n = ivec2(k % 3, k / 3);
        uint kind = grid_cell_type(clamp(s.base.xy + n, ivec2(0), grid_cells - 1));
        sum += (kind & 6u) == SOLID_CELL ? s.weight[n.x].x * s.weight[n.y].y : 0.0;
    }
    return sum;
}

// A bar from the first to the last colour in the lower right corner, with ticks and numbers, on a dark plate.
bool legend_color(ivec2 pixel, out vec3 color) {
    const ivec2 BAR = ivec2(160, 10), MARGIN = ivec2(24, 8);
    const int DOT = 2;
    ivec2 low = view_size - BAR - 2 * MARGIN - ivec2(0, 11 * DOT), p = pixel - low - MARGIN;
    if (any(lessThan(low, ivec2(0))) || any(lessThan(pixel, low))) {
        return false;
    }
    color = vec3(0.08, 0.08, 0.1);
    float extent = arg.range.y - arg.range.x;
    if (p.y < BAR.y) {
        if (p.y >= 0 && p.x >= 0 && p.x < BAR.x) {
            color = color_of((float(p.x) + 0.5) / float(BAR.x));
        }
        return true;
    }
    Step step = nice_step(extent, 3.0);
    int first = int(ceil(arg.range.x / step.size - 1e-3)), last = int(floor(arg.range.y / step.size + 1e-3));
    float value = arg.range.x + extent * (float(p.x) + 0.5) / float(BAR.x);
    int n = clamp(int(round(value / step.size)), first, last);
    int tick = int(round((float(n) * step.size - arg.range.x) / extent * float(BAR.x)));
    Text text = tick_text(n, step);
    bool ink = p.y < BAR.y + 2 * DOT ? abs(2 * (p.x - tick) + 1) <= DOT
             : text_ink(text, p - ivec2(tick - text_width(text, DOT) / 2, BAR.y + 3 * DOT), DOT);
    color = ink ? vec3(1.0) : color;
    return true;
}

void stage(ivec2 pixel) {
    vec3 color;
    if (arg.legend == 0.0 || !legend_color(pixel, color)) {
        vec2 part = (vec2(pixel) + 0.5) / vec2(view_size);
        vec2 at = vec2(part.x, 1.0 - part.y) * vec2(grid_cells);
        color = color_of((field_at(at) - arg.range.x) / (arg.range.y - arg.range.x));
        // The share of the pixel that solids cover: at an outline, solid_at changes by 1 per cell.
        float cells_per_pixel = float(grid_cells.x) / float(view_size.x);
        float covered = clamp(0.5 + (solid_at(at) - 0.5) / cells_per_pixel, 0.0, 1.0);
        color = mix(color, vec3(0.13, 0.14, 0.16), covered);
    }
    set_view_color(pixel, vec4(color, 1.0));
}

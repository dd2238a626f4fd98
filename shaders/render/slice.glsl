// The rectangle of a slice of a grid in a picture: as large as fits between the margins, without distortion, y or z up.
#include "render/box.glsl"

struct Slice {
    ivec3 axes;     // of the grid: along the picture, up the picture, across the slice
    ivec4 frame;    // pixels: left, top, and the first beyond right and bottom
    vec2 low;       // m, the lower left corner
    float pixel;    // m
    float across;   // m, where the slice is
};

// Margins around a slice in dots of text: left, top, right, bottom.
ivec4 slice_margins(float axes, float bar) {
    return ivec4(axes != 0.0 ? 52 : 0, axes != 0.0 ? 8 : 0, bar != 0.0 ? 72 : axes != 0.0 ? 24 : 0, axes != 0.0 ? 20 : 0);
}

Slice slice_in(ivec2 size, int axis, float at, ivec4 margins, int dot) {
    Slice s;
    s.axes = axis == 0 ? ivec3(1, 2, 0) : axis == 1 ? ivec3(0, 2, 1) : ivec3(0, 1, 2);
    vec3 low = box_low(), sides = box_sides();
    vec2 extent = vec2(sides[s.axes.x], sides[s.axes.y]);
    s.low = vec2(low[s.axes.x], low[s.axes.y]);
    s.across = low[s.axes.z] + at * sides[s.axes.z];
    ivec2 room = max(size - dot * (margins.xy + margins.zw), ivec2(1));
    s.pixel = max(extent.x / float(room.x), extent.y / float(room.y));
    ivec2 shown = clamp(ivec2(extent / s.pixel + 0.5), ivec2(1), room);
    s.frame.xy = dot * margins.xy + (room - shown) / 2;
    s.frame.zw = s.frame.xy + shown;
    return s;
}

bool in_frame(Slice s, ivec2 pixel) {
    return all(greaterThanEqual(pixel, s.frame.xy)) && all(lessThan(pixel, s.frame.zw));
}

// m in the slice, of a place in pixels.
vec2 slice_place(Slice s, vec2 pixel) {
    return s.low + s.pixel * vec2(pixel.x - float(s.frame.x), float(s.frame.w) - pixel.y);
}

vec2 slice_pixel(Slice s, vec2 place) {
    vec2 p = (place - s.low) / s.pixel;
    return vec2(float(s.frame.x) + p.x, float(s.frame.w) - p.y);
}

vec3 in_box(Slice s, vec2 place) {
    vec3 p;
    p[s.axes.x] = place.x;
    p[s.axes.y] = place.y;
    p[s.axes.z] = s.across;
    return p;
}

// Arrows over a slice, whose pixels find them: the nine whose middles are nearest. An arrow has its middle at its seed and is at
// most 1.4 gaps long, so it reaches no further than that. The vector at a place is `vec3 vector_at(vec3 place)`.
#include "render/slice.glsl"

vec3 vector_at(vec3 place);

float segment_distance(vec2 p, vec2 from, vec2 to) {
    vec2 along = to - from;
    return length(p - from - along * clamp(dot(p - from, along) / max(dot(along, along), 1e-12), 0.0, 1.0));
}

// Pixels to an arrow of `way` pixels about `middle`.
float arrow_distance(vec2 p, vec2 middle, vec2 way) {
    vec2 from = middle - 0.5 * way, to = middle + 0.5 * way, side = 0.18 * vec2(-way.y, way.x);
    float shaft = segment_distance(p, from, to);
    return min(shaft, min(segment_distance(p, to, to - 0.32 * way + side), segment_distance(p, to, to - 0.32 * way - side)));
}

float arrows_ink(Slice s, vec2 pixel) {
    vec2 corner = vec2(s.frame.xy), extent = vec2(s.frame.zw - s.frame.xy);
    ivec2 own = ivec2(floor((pixel - corner) / arg.gap));
    float ink = 0.0;
    for (int k = 0; k < 9; k++) {
        vec2 seed = (vec2(own + ivec2(k % 3, k / 3) - 1) + 0.5) * arg.gap;
        if (any(lessThan(seed, vec2(0.0))) || any(greaterThanEqual(seed, extent))) {
            continue;
        }
        vec3 v = vector_at(in_box(s, slice_place(s, corner + seed)));
        vec2 way = vec2(v[s.axes.x], -v[s.axes.y]) * (arg.reach / arg.fastest);
        float run = length(way);
        if (!(run >= 1.0)) {
            continue;
        }
        way *= min(1.0, 1.4 * arg.gap / run);
        ink = max(ink, clamp(0.5 * arg.thick + 0.5 - arrow_distance(pixel, corner + seed, way), 0.0, 1.0));
    }
    return ink;
}

void stage(ivec2 pixel) {
    Slice s = slice_in(view_size, int(arg.axis), arg.at, slice_margins(arg.axes, arg.bar), int(arg.dot));
    if (in_frame(s, pixel)) {
        float ink = arrows_ink(s, vec2(pixel) + 0.5);
        set_view_color(pixel, vec4(mix(view_color(pixel).rgb, arg.arrow, ink), 1.0));
    }
}

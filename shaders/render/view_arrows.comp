#version 460
#include "stage.glsl"
#include "render/slice.glsl"

#pragma reads grid.vector grid.u grid.v grid.w view.color
#pragma writes view.color
#pragma arguments slice legend arrows

// Arrows over a slice, whose pixels find them: the nine whose middles are nearest. An arrow has its middle at its seed and is at
// most 1.4 gaps long, so it reaches no further than that.

// The vector of the cell at a position: the channel `vector`, or the mean of the velocities on its faces.
vec3 vector_at(vec3 place) {
    ivec3 cell = ivec3(floor((place - box_low()) / in_space(grid_spacing, 1.0)));
    cell = clamp(cell, ivec3(0), in_space(grid_cells) - 1);
#define AT(x, y, z) index_like(grid_cells, cell + ivec3(x, y, z))
#if HAS_grid_vector
    return grid_vector(AT(0, 0, 0));
#else
    vec3 both = vec3(grid_u(AT(0, 0, 0)) + grid_u(AT(1, 0, 0)), grid_v(AT(0, 0, 0)) + grid_v(AT(0, 1, 0)), 0.0);
#if HAS_grid_w
    both.z = grid_w(AT(0, 0, 0)) + grid_w(AT(0, 0, 1));
#endif
    return 0.5 * both;
#endif
}

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

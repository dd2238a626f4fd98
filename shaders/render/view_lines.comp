#version 460
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/lines.glsl"

#pragma reads lines.start lines.end lines.tint
#pragma writes near.key
#pragma arguments camera reach

// Draws one line, one pixel wide. A line of length 0 is omitted.

// The part of a line from `a` to `b` with low <= value <= high: `part` becomes smaller, and empty if x > y.
void clip(float a, float b, float low, float high, inout vec2 part) {
    // Liang & Barsky 1984, "A new concept and method for line clipping".
    if (a == b) {
        part = a < low || a > high ? vec2(1.0, 0.0) : part;
        return;
    }
    float t0 = (low - a) / (b - a), t1 = (high - a) / (b - a);
    part = vec2(max(part.x, min(t0, t1)), min(part.y, max(t0, t1)));
}

void stage(uint i) {
    vec3 start = lines_start(i), end = lines_end(i);
    if (start == end) {
        return;
    }
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, near_size);
    vec3 a = camera_view(camera, start), b = camera_view(camera, end);
    vec2 part = vec2(0.0, 1.0);
    clip(a.z, b.z, 1e-3 * arg.reach, arg.reach, part);
    if (part.x >= part.y) {
        return;
    }
    vec3 first = mix(a, b, part.x), last = mix(a, b, part.y);
    vec2 p = camera_project(camera, first), q = camera_project(camera, last);
    // Along the line in the picture, 1 / depth is linear.
    float near = 1.0 / first.z, far = 1.0 / last.z;
    part = vec2(0.0, 1.0);
    clip(p.x, q.x, 0.0, float(near_size.x), part);
    clip(p.y, q.y, 0.0, float(near_size.y), part);
    if (part.x >= part.y) {
        return;
    }
    vec2 way = (part.y - part.x) * abs(q - p);
    // One step for each pixel along the longer axis.
    int steps = max(int(ceil(max(way.x, way.y))), 1);
    float tint = lines_tint(i);
    for (int k = 0; k < steps; k++) {
        float t = mix(part.x, part.y, (float(k) + 0.5) / float(steps));
        ivec2 pixel = clamp(ivec2(floor(mix(p, q, t))), ivec2(0), near_size - 1);
        min_near_key(pixel, line_key(1.0 / mix(near, far, t), arg.reach, tint));
    }
}

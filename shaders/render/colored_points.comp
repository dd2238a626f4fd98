#version 460
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/ends.glsl"
#include "render/number.glsl"

#pragma reads matter.position matter.value path.place
#pragma writes view.near
#pragma arguments camera.up camera.fov ball

// Particles as balls of one colour each: the integer minimum per pixel finds the nearest. Its key has the depth in the upper 17
// bits, then 7 of the light on the ball and 8 of the colour.

void stage(uint particle) {
    Camera camera = camera_towards(path_place(0u), path_place(1u), arg.up, arg.fov, view_size);
    vec3 middle = camera_view(camera, matter_position(particle));
    if (middle.z < 2.0 * arg.radius) {
        return;
    }
    vec2 ends = color_ends();
    float t = (number(matter_value(particle)) - ends.x) / (ends.y - ends.x);
    uint entry = uint(clamp(floor(256.0 * clamp(isnan(t) ? 0.0 : t, 0.0, 1.0)), 0.0, 255.0));
    vec2 at = camera_project(camera, middle);
    // At least the pixel of the middle.
    float radius = max(camera.focal * arg.radius / middle.z, 0.71);
    ivec2 low = max(ivec2(floor(at - radius)), ivec2(0)), high = min(ivec2(floor(at + radius)), view_size - 1);
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            vec2 from = (vec2(x, y) + 0.5 - at) / radius;
            float left = 1.0 - dot(from, from);
            if (left > 0.0) {
                // Light from above the left shoulder of the eye.
                vec3 normal = vec3(from, -sqrt(left));
                float lit = 1.0 - arg.shade * (1.0 - max(dot(normal, normalize(vec3(-0.4, -0.6, -1.0))), 0.0));
                uint depth = uint(clamp((middle.z - arg.radius * sqrt(left)) / arg.reach, 0.0, 0.99999) * 131071.0);
                min_view_near(ivec2(x, y), depth << 15 | uint(clamp(lit, 0.0, 1.0) * 127.0 + 0.5) << 8 | entry);
            }
        }
    }
}

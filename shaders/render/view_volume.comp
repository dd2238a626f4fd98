#version 460
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/colors.glsl"
#include "render/ends.glsl"
#include "render/box.glsl"
#include "render/slice_values.glsl"

#pragma reads grid.value path.place
#pragma writes view.color
#pragma arguments camera.up camera.fov map cloud legend
#pragma argument int map

// A channel as a cloud that glows in its colours and absorbs: light L along a ray obeys dL/ds = k (c - L), with the extinction k
// by a ramp over the range (N. Max, "Optical models for direct volume rendering", 1995).

float extinction(float t) {
    return isnan(t) ? 0.0 : arg.dense * clamp((t - arg.ramp.x) / (arg.ramp.y - arg.ramp.x), 0.0, 1.0);
}

void stage(ivec2 pixel) {
    Camera camera = camera_towards(path_place(0u), path_place(1u), arg.up, arg.fov, view_size);
    vec3 ray = camera_ray(camera, pixel);
    ray = mix(ray, vec3(1e-6), lessThan(abs(ray), vec3(1e-6)));
    vec3 low = (box_low() - camera.eye) / ray, high = (box_low() + box_sides() - camera.eye) / ray;
    vec3 first = min(low, high), last = max(low, high);
    float from = max(max(first.x, max(first.y, first.z)), 0.0), to = min(last.x, min(last.y, last.z));
    vec3 spacing = in_space(grid_spacing, 1.0);
    float cell = min(spacing.x, min(spacing.y, spacing.z)), passed = 1.0;
    // Whole steps, so that the length of the last does not jump from pixel to pixel.
    int steps = to > from ? int(ceil((to - from) / (arg.pace * cell))) : 0;
    float pace = (to - from) / float(max(steps, 1));
    vec3 light = vec3(0.0);
    vec2 ends = color_ends();
    for (int k = 0; k < steps && passed > 0.002; k++) {
        float value = value_at(camera.eye + (from + (float(k) + 0.5) * pace) * ray, true);
        float t = (value - ends.x) / (ends.y - ends.x), absorbed = extinction(t);
        if (absorbed > 0.0) {
            float kept = exp(-pace * absorbed);
            light += passed * (1.0 - kept) * light_of(color_of(arg.map, t));
            passed *= kept;
        }
    }
    set_view_color(pixel, vec4(encoded_light(light + passed * light_of(arg.paper)), 1.0));
}

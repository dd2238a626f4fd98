#version 460
#include "stage.glsl"
#include "render/camera.glsl"

#pragma reads box.dye
#pragma writes view.color
#pragma arguments camera sun extinction

// Dye in the unit cube as coloured smoke: rays from the eye, lit from one side by the slope of its density.

float density(vec3 place) {
    vec3 dye = sample_box_dye(place);
    return max(dye.x, max(dye.y, dye.z));
}

void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, vec3(0.0, 0.0, 1.0), arg.fov, view_size);
    vec3 ray = camera_ray(camera, pixel);
    ray = mix(ray, vec3(1e-6), lessThan(abs(ray), vec3(1e-6)));
    vec3 to_low = -arg.eye / ray, to_high = (1.0 - arg.eye) / ray;
    vec3 enter = min(to_low, to_high), leave = max(to_low, to_high);
    float start = max(max(enter.x, enter.y), max(enter.z, 0.0)), end = min(leave.x, min(leave.y, leave.z));
    float pace = 0.75 * box_dx, passed = 1.0;
    vec3 light = vec3(0.0), sun = normalize(arg.sun);
    for (float t = start + 0.5 * pace; t < end && passed > 0.01; t += pace) {
        vec3 at = arg.eye + t * ray, dye = sample_box_dye(at);
        float here = max(dye.x, max(dye.y, dye.z));
        if (here > 0.004) {
            float h = 1.5 * box_dx;
            vec3 slope = vec3(density(at + vec3(h, 0.0, 0.0)), density(at + vec3(0.0, h, 0.0)), density(at + vec3(0.0, 0.0, h))) - here;
            float facing = -dot(slope, sun) / sqrt(dot(slope, slope) + 1e-8);
            float kept = exp(-pace * arg.extinction * here);
            light += passed * (1.0 - kept) * dye / here * (0.8 + 0.7 * facing + 0.5 * here);
            passed *= kept;
        }
    }
    vec2 part = vec2(pixel) / vec2(view_size);
    vec3 behind = mix(vec3(0.035, 0.045, 0.07), vec3(0.012, 0.014, 0.022), part.y);
    vec3 color = max(light, 0.0) + passed * behind;
    set_view_color(pixel, vec4(pow(color / (1.0 + 0.25 * color), vec3(1.0 / 2.2)), 1.0));
}

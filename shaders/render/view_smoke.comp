#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/noise.glsl"
#include "render/tone.glsl"
#include "render/smoke_box.glsl"

#pragma reads grid.density grid.heat grid.light blocks.occupied body.shape
#pragma writes view.color
#pragma arguments camera sun smoke light

// Smoke, lit by the sun and by its own glow, with a body in it and a floor under it; linear light until the last step.

vec3 background(vec3 ray) {
    return mix(arg.horizon, arg.zenith, smoothstep(-0.1, 0.7, ray.z));
}

vec3 floor_light(vec3 place, vec3 ray, float run, vec3 sun) {
    float lit = sun_passed(place, sun, arg.extinction, 2.0 * grid_dx);
    vec3 light = arg.floor_color * (arg.sky_light + arg.sun_light * max(sun.z, 0.0) * lit);
    return mix(background(vec3(ray.xy, 0.0)), light, exp(-run * run / (arg.fade * arg.fade)));
}

#if HAS_body_shape
vec3 body_light(vec3 place, vec3 sun) {
    vec3 normal = shape_normal(place);
    float lit = sun_passed(place + 3.0 * body_dx * normal, sun, arg.extinction, grid_dx) * max(dot(normal, sun), 0.0);
    float glow = sample_grid_heat(place + 1.5 * grid_dx * normal);
    vec3 sky = arg.sky_light * (0.6 + 0.4 * normal.z);
    return arg.body_color * (sky + arg.sun_light * lit + arg.glow * glow * max(-normal.z, 0.0));
}
#else
vec3 body_light(vec3 place, vec3 sun) {
    return vec3(0.0);
}
#endif

// The phase function of Henyey & Greenstein 1941: light scattered by an angle.
float phase(float cosine, float g) {
    return (1.0 - g * g) / pow(1.0 + g * g - 2.0 * g * cosine, 1.5);
}

void stage(ivec2 pixel) {
    vec3 sun = normalize(arg.sun);
    Camera camera = camera_towards(arg.eye, arg.target, vec3(0.0, 0.0, 1.0), arg.fov, arg.eye_offset, view_size);
    vec3 ray = camera_ray(camera, pixel);
    ray = mix(ray, vec3(1e-6), lessThan(abs(ray), vec3(1e-6)));
    vec2 span = box_span(camera.eye, ray);
    float ground = ray.z < 0.0 ? (grid_origin.z - camera.eye.z) / ray.z : 1.0 / 0.0;
    float hit = body_hit(camera.eye, ray, span.x, span.y);
    bool on_body = span.x < span.y && hit < span.y;
    vec3 behind = on_body ? body_light(camera.eye + hit * ray, sun)
                : ray.z < 0.0 ? floor_light(camera.eye + ground * ray, ray, ground, sun) : background(ray);

    // Steps begin at a place of their own for each pixel, so that they do not show as bands.
    float pace = arg.pace * grid_dx, passed = 1.0;
    vec3 light = vec3(0.0);
    float toward = 0.5 * (phase(dot(ray, sun), 0.5) + phase(dot(ray, sun), -0.2));
    float start = span.x + pace * hash_unit(pixel, clock.frame);
    int steps = int(ceil(clamp((min(hit, span.y) - start) / pace, 0.0, 1e6)));
    for (int k = 0; k < steps && passed > 0.005;) {
        vec3 at = camera.eye + (start + float(k) * pace) * ray;
        int empty = empty_steps(at, ray, pace);
        k += max(empty, 1);
        if (empty > 0) {
            continue;
        }
        float density = sample_grid_density(at);
        if (density > 1e-3) {
            float kept = exp(-pace * arg.extinction * density);
            float heat = sample_grid_heat(at);
            vec3 source = arg.albedo * (arg.sky_light + arg.sun_light * toward * sample_grid_light(at))
                        + arg.glow * heat * heat * heat;
            light += passed * (1.0 - kept) * source;
            passed *= kept;
        }
    }
    set_view_color(pixel, dithered(encode_srgb(reinhard(light + passed * behind, arg.white)), pixel));
}

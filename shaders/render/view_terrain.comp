#version 460
#extension GL_EXT_control_flow_attributes : require
// One ray per pixel: distance to the surface and the light that arrives from there, through the haze. Clears the light
// of the flakes for this frame.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/noise.glsl"
#include "render/air.glsl"
#include "render/surface.glsl"
#include "render/blocks.glsl"
#include "render/summit.glsl"
#include "render/forest.glsl"
#include "render/trace.glsl"
#include "render/ground.glsl"

#pragma reads ground.elevation ground.snow ground.forest ground.relief ground.cover ground.paint blocks.top summit
#pragma writes view.depth view.radiance view.light
#pragma arguments snow_unit camera weather look

vec4 relief_between(ivec2 v, vec2 f) {
    vec4 low = mix(ground_relief(v), ground_relief(v + ivec2(1, 0)), f.x);
    vec4 high = mix(ground_relief(v + ivec2(0, 1)), ground_relief(v + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}

vec2 cover_at(ivec2 v) {
    return vec2(ground_cover(v), ground_forest(v));
}

// Snow cover (m) and density of the forest.
vec2 cover_between(ivec2 v, vec2 f) {
    vec2 low = mix(cover_at(v), cover_at(v + ivec2(1, 0)), f.x);
    vec2 high = mix(cover_at(v + ivec2(0, 1)), cover_at(v + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}

#if HAS_ground_paint
// Colour and opacity of the user's paint.
vec4 paint_between(ivec2 v, vec2 f) {
    vec4 low = mix(ground_paint(v), ground_paint(v + ivec2(1, 0)), f.x);
    vec4 high = mix(ground_paint(v + ivec2(0, 1)), ground_paint(v + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}
#endif

// Radiance of the surface: sun, the open part of the sky, and light reflected by the ground around.
vec3 surface_light(Weather w, Hit hit, float height, float pixel) {
    ivec2 v = clamp(ivec2(floor(hit.place)), ivec2(0), ground_vertices - 2);
    vec2 f = hit.place - vec2(v);
    vec4 relief = relief_between(v, f);
    vec2 covers = cover_between(v, f);
    float cover = covers.x / arg.cover_depth;
    vec3 place = vec3(ground_origin + hit.place * ground_spacing, height);
    vec3 smooth_normal = normalize(vec3(-relief.xy, 1.0));
    Ground g = ground_at(place, smooth_normal, cover, covers.y, height - surface_between(hit.place), pixel * hit.distance);
#if HAS_ground_paint
    vec4 paint = paint_between(v, f);
    g.albedo = mix(g.albedo, paint.rgb, paint.a);
#endif
    vec3 normal = normalize(smooth_normal - g.bump + dot(g.bump, smooth_normal) * smooth_normal);
    float facing = max((dot(normal, w.sun) + 0.15) / 1.15, 0.0);
    vec3 sky = mix(w.horizon, w.zenith, 0.5 + 0.5 * normal.z) * relief.z * (0.6 + 0.4 * normal.z);
    vec3 back = 0.35 * (1.0 - relief.z) * mix(vec3(0.12), vec3(0.8), clamp(cover, 0.0, 1.0)) * w.zenith;
    return g.albedo * g.shade * (w.sun_light * facing * relief.w + sky + back);
}

void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 ray = camera_ray(camera, pixel);
    Weather w = Weather(normalize(arg.sun), arg.sun_light, arg.horizon, arg.zenith, arg.haze.x, arg.haze.y, arg.haze.z);
    Hit hit = surface_trace(camera.eye, ray, arg.reach);
    vec3 light = sky_light(w, camera.eye, ray);
    if (hit.distance < NO_HIT) {
        vec3 ground = surface_light(w, hit, camera.eye.z + ray.z * hit.distance, 1.0 / camera.focal);
        light = mix(haze_light(w, ray), ground, haze_passed(w, camera.eye, ray, hit.distance));
    }
    set_view_depth(pixel, hit.distance);
    set_view_radiance(pixel, light);
    set_view_light(pixel, 0u);
}

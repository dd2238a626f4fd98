#version 460
#extension GL_EXT_control_flow_attributes : require
// Ground and flakes together, developed to 8-bit sRGB. Edges of the ground, which has one ray per pixel, are smoothed;
// the flakes are smooth by themselves.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/light.glsl"
#include "render/tone.glsl"

#pragma reads view.radiance view.light
#pragma writes view.color
#pragma arguments camera weather
#pragma reach view_radiance 1

float brightness(vec3 light) {
    return dot(light, vec3(0.2126, 0.7152, 0.0722)) / (1.0 + dot(light, vec3(0.2126, 0.7152, 0.0722)));
}

// Radiance of the ground, blended across an edge by how sharp it is: the part of T. Lottes 2009, "FXAA", that treats
// single pixels (no search along the edge).
vec3 smooth_radiance(ivec2 pixel) {
    ivec2 last = view_size - 1;
    vec3 here = view_radiance(pixel);
    vec3 left = view_radiance(max(pixel - ivec2(1, 0), ivec2(0)));
    vec3 right = view_radiance(min(pixel + ivec2(1, 0), last));
    vec3 above = view_radiance(max(pixel - ivec2(0, 1), ivec2(0)));
    vec3 below = view_radiance(min(pixel + ivec2(0, 1), last));
    float m = brightness(here);
    vec4 around = vec4(brightness(left), brightness(right), brightness(above), brightness(below));
    float low = min(m, min(min(around.x, around.y), min(around.z, around.w)));
    float high = max(m, max(max(around.x, around.y), max(around.z, around.w)));
    float range = high - low;
    float off = abs(0.25 * (around.x + around.y + around.z + around.w) - m) / max(range, 1e-4);
    float blend = 0.6 * smoothstep(0.0, 1.0, off) * smoothstep(0.02, 0.06, range);
    return mix(here, 0.25 * (left + right + above + below), blend);
}

void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 ray = camera_ray(camera, pixel);
    // Flakes scatter forward: brighter against the sun.
    float towards = max(dot(ray, normalize(arg.sun)), 0.0);
    vec3 flake = arg.flake + arg.sun_light * (0.15 * towards + 0.25 * pow(towards, 8.0));
    float cover = 1.0 - exp(-float(view_light(pixel)) / LIGHT_UNITS);
    vec3 light = mix(smooth_radiance(pixel), flake, cover);

    vec2 off = (vec2(pixel) + 0.5 - camera.centre) / camera.centre;
    light *= arg.brightness * (1.0 - arg.vignette * 0.5 * dot(off, off));
    set_view_color(pixel, dithered(encode_srgb(filmic(light)), pixel));
}

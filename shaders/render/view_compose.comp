#version 460
#extension GL_EXT_control_flow_attributes : require
// Ground and flakes together, developed to 8-bit sRGB. Edges of the ground, which has one ray per pixel, are smoothed;
// the flakes are smooth by themselves.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/light.glsl"
#include "render/tone.glsl"
#include "render/edges.glsl"

#pragma reads view.radiance view.light
#pragma writes view.color
#pragma arguments camera weather
#pragma reach view_radiance 1

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

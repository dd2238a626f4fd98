#version 460
#include "stage.glsl"
#include "render/tone.glsl"
#include "render/edges.glsl"

#pragma reads view.radiance
#pragma writes view.color
#pragma arguments develop
#pragma reach view_radiance 1

// Linear light to sRGB: arg.white becomes white, after arg.exposure times the light. With arg.smooth_edges 1 outlines are
// smooth, but lines one pixel wide fade.
void stage(ivec2 pixel) {
    vec3 radiance = arg.smooth_edges != 0.0 ? smooth_radiance(pixel) : view_radiance(pixel);
    vec3 light = max(arg.exposure * radiance, vec3(0.0));
    set_view_color(pixel, dithered(encode_srgb(reinhard(light, arg.white)), pixel));
}

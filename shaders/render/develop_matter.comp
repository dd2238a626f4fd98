#version 460
#include "stage.glsl"
#include "render/tone.glsl"
#include "render/edges.glsl"

#pragma reads view.radiance
#pragma writes view.color
#pragma reach view_radiance 1

// Linear light to sRGB, with smoothed outlines.
void stage(ivec2 pixel) {
    set_view_color(pixel, dithered(encode_srgb(filmic(smooth_radiance(pixel))), pixel));
}

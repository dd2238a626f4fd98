#version 460
#include "stage.glsl"
#include "render/colors.glsl"

#pragma reads view.near
#pragma writes view.color
#pragma arguments map legend.paper
#pragma argument int map

// The colours of the nearest balls, times their light.

void stage(ivec2 pixel) {
    uint key = view_near(pixel);
    vec3 light = light_of(arg.paper);
    if (key != 0xffffffffu) {
        light = light_of(color_of(arg.map, (float(key & 255u) + 0.5) / 256.0)) * float(key >> 8 & 127u) / 127.0;
    }
    set_view_color(pixel, vec4(encoded_light(light), 1.0));
}

#version 460
#include "stage.glsl"
#include "render/colors.glsl"

#pragma reads view.light
#pragma writes view.color
#pragma arguments map star
#pragma argument int map

// Colours of the light by the stretch asinh(light / faint) of Lupton et al. 1999: linear below arg.faint, logarithmic above.
void stage(ivec2 pixel) {
    float light = float(view_light(pixel)) / 1024.0;
    float t = asinh(light / arg.faint) / asinh(arg.bright / arg.faint);
    set_view_color(pixel, vec4(color_of(arg.map, t), 1.0));
}

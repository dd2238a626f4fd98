#version 460
#include "stage.glsl"

#pragma reads view.dots box.dye
#pragma writes view.color
#pragma arguments grain

// Dye, with a grain of its colour for each dot: dots where no dye is do not show.
void stage(ivec2 pixel) {
    vec2 at = (vec2(pixel) + 0.5) / vec2(view_size);
    vec3 dye = sample_box_dye(vec2(at.x, 1.0 - at.y));
    vec3 color = dye * (dye + arg.grain * float(view_dots(pixel)));
    set_view_color(pixel, vec4(sqrt(color / (1.0 + 0.3 * color)), 1.0));
}

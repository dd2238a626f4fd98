#version 460
#include "stage.glsl"

void stage(ivec2 pixel) {
    vec2 part = (vec2(pixel) + 0.5) / vec2(view_size);
    float heat = sample_box_heat(box_origin + vec3(part, 0.5) * vec3(box_cells) * box_dx);
    set_view_color(pixel, vec4(heat, heat, heat, 1.0));
}

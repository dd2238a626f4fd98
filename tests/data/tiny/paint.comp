#version 460
#include "stage.glsl"

void stage(ivec2 pixel) {
    ivec3 cell = ivec3(pixel * box_cells.xy / view_size, box_cells.z / 2);
    float heat = box_heat(cell);
    set_view_color(pixel, vec4(heat, 0.2, 1.0 - heat, 1.0));
}

#version 460
#include "stage.glsl"
#include "colors.glsl"

// A bar at the place, over a background that depends on the camera and on the pixel.
void stage(ivec2 pixel) {
    vec3 color = vec3(fract(abs(arg.eye.x) * 0.25), arg.green, float(pixel.y) / 120.0);
    if (abs(float(pixel.x) - place(0u)) < 2.0) {
        color = BAR;
    }
    set_view_color(pixel, vec4(color, 1.0));
}

#version 460
// Generated from the pipeline for this stage: accessors, arguments, the clock, and main().
#include "stage.glsl"

// Called once for every pixel; (0, 0) is the top left.
void stage(ivec2 pixel) {
    vec2 centre = 0.5 * vec2(picture_size);
    float distance = length(vec2(pixel) - centre);                             // pixels
    float phase = 6.2831853 * (distance - arg.speed * clock.time) / arg.wavelength;
    float height = 0.5 + 0.5 * sin(phase) * exp(-distance / 120.0);
    set_picture_color(pixel, vec4(0.1 + 0.6 * height, 0.3 + 0.5 * height, 0.5 + 0.5 * height, 1.0));
}

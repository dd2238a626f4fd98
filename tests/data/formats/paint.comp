#version 460
#include "stage.glsl"

// Levels of 8 bits that no rounding changes, and, for films, a colour that is the same everywhere.
void stage(ivec2 pixel) {
    float level = 60.0 * float(clock.frame);
    set_view_color(pixel, vec4(level, level, level, 255.0) / 255.0);
    set_view_glow(pixel, vec4(pixel.x, pixel.y, clock.frame, 0.5));
    set_view_depth(pixel, float(pixel.x + 100 * pixel.y + 2000 * int(clock.frame)));
}

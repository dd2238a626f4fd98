#version 460
#include "stage.glsl"

// Colours that no subsampled chroma keeps.
void stage(ivec2 pixel) {
    uint hash = (uint(pixel.x) * 73u + uint(pixel.y) * 151u + clock.frame * 199u) * 2654435761u;
    set_screen_color(pixel, vec4(uvec4(hash >> 8, hash >> 16, hash >> 24, 255u) & 255u) / 255.0);
    set_screen_bars(pixel, vec4(uvec4(16u * clock.frame, 128, 255u * uint(pixel.x > 6), 255u)) / 255.0);
    set_screen_depth(pixel, float(pixel.x) + 100.0 * float(clock.frame) + 0.5 * clock.time);
}

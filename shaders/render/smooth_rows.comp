#version 460
#include "stage.glsl"
#include "render/smooth_points.glsl"

// Smooths depth and tint along rows; arg.blur in pixels, arg.edge in metres.
void stage(ivec2 pixel) {
    SMOOTH_POINTS(pixel, ivec2(1, 0), view_depth, view_tint, smooth_surface)
    set_view_depth_rows(pixel, smooth_surface.x);
    set_view_tint_rows(pixel, smooth_surface.y);
}

#version 460
#include "stage.glsl"
#include "render/smooth_points.glsl"

// Smooths depth and tint along columns; arg.blur in pixels, arg.edge in metres.
void stage(ivec2 pixel) {
    SMOOTH_POINTS(pixel, ivec2(0, 1), view_depth_rows, view_tint_rows, smooth_surface)
    set_view_depth(pixel, smooth_surface.x);
    set_view_tint(pixel, smooth_surface.y);
}

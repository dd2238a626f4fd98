#version 460
#include "stage.glsl"
#include "render/points.glsl"

// Depth (m) of the nearest ball, and its tint; depth 0 where there is none.
void stage(ivec2 pixel) {
    uint key = view_near(pixel);
    set_view_depth(pixel, key == POINT_NONE ? 0.0 : point_depth(key, arg.reach));
    set_view_tint(pixel, key == POINT_NONE ? 0.0 : point_tint(key));
}

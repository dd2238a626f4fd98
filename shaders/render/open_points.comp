#version 460
#include "stage.glsl"
#include "render/points.glsl"

#pragma reads view.near
#pragma writes view.surface
#pragma arguments camera.reach

// Depth (m) of the nearest ball, and its tint; depth 0 where there is none.
void stage(ivec2 pixel) {
    uint key = view_near(pixel);
    set_view_surface(pixel, key == POINT_NONE ? vec2(0.0) : vec2(point_depth(key, arg.reach), point_tint(key)));
}

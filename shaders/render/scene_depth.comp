#version 460
// Depth of whatever is seen in a pixel, once for all pixels around it; far away where nothing is.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/floor.glsl"

#pragma reads view.surface
#pragma writes view.scene
#pragma arguments camera floor.height

void stage(ivec2 pixel) {
    float depth = view_surface(pixel).x;
    if (depth <= 0.0) {
        Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
        float under = floor_depth(camera, camera_ray(camera, pixel));
        depth = under > 0.0 ? under : 1e6;
    }
    set_view_scene(pixel, depth);
}

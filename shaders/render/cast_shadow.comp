#version 460
#extension GL_EXT_control_flow_attributes : require
// The shadow of matter on the ground: where balls of the sun's picture are in front of a pixel's position, its light falls
// to the share arg.shade. The mean over 5 x 5 pixels of that picture (percentage-closer filtering: Reeves, Salesin & Cook 1987)
// softens the edge; arg.lump (m) keeps balls from shading the ground that they touch.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/points.glsl"

#pragma reads view.depth view.radiance sun.near
#pragma writes view.radiance
#pragma arguments camera weather.sun look

void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 world = camera.eye + camera_ray(camera, pixel) * view_depth(pixel);
    vec3 at = sun_place(sun_view(arg.sun), world, arg.target, arg.shadow_extent, sun_size);
    float hidden = 0.0;
    for (int k = 0; k < 25; k++) {
        ivec2 other = ivec2(floor(at.xy)) + ivec2(k % 5, k / 5) - 2;
        if (all(greaterThanEqual(other, ivec2(0))) && all(lessThan(other, sun_size))) {
            uint key = sun_near(other);
            hidden += key != POINT_NONE && point_depth(key, 2.0 * arg.shadow_extent) < at.z - arg.lump ? 0.04 : 0.0;
        }
    }
    set_view_radiance(pixel, view_radiance(pixel) * mix(vec3(1.0), arg.shade, hidden));
}

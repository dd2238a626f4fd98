#version 460
#include "stage.glsl"
#include "render/camera.glsl"

// The ground z = 0 in blue, with a red mark of radius 0.1 m round a place, under a black sky.
void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, view_size);
    vec3 ray = camera_ray(camera, pixel);
    float run = ray.z < 0.0 ? -arg.eye.z / ray.z : 1e30;
    bool is_near = distance(arg.eye + run * ray, arg.place) < 0.1;
    vec3 color = run < 1e9 ? (is_near ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 0.0, 1.0)) : vec3(0.0);
    set_view_color(pixel, vec4(color, 1.0));
    set_view_depth(pixel, run);
}

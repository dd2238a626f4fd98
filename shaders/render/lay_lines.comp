#version 460
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/colormaps.glsl"
#include "render/lines.glsl"

#pragma reads near.key view.radiance view.depth
#pragma writes view.radiance
#pragma arguments camera reach bias look

// Draws lines over a picture where they are nearer: lines with a tint in the colours of viridis, others in
// arg.plain. Several pixels of lines make one of the picture.
void stage(ivec2 pixel) {
    ivec2 samples = near_size / view_size;
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    // Distance along the ray over depth.
    float stretch = 1.0 / dot(camera_ray(camera, pixel), camera.forward);
    vec3 behind = view_radiance(pixel), sum = vec3(0.0);
    float most = view_depth(pixel) + arg.bias;
    for (int k = 0; k < samples.x * samples.y; k++) {
        uint key = near_key(samples * pixel + ivec2(k % samples.x, k / samples.x));
        vec3 light = behind;
        if (key != LINE_NONE && line_depth(key, arg.reach) * stretch <= most) {
            float tint = line_tint(key);
            light = tint < 0.0 ? arg.plain : arg.brightness * viridis_light(tint);
        }
        sum += light;
    }
    set_view_radiance(pixel, sum / float(samples.x * samples.y));
}

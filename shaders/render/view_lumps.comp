#version 460
#extension GL_EXT_control_flow_attributes : require
// Balls of snow in front of the terrain: pixels of view.near that are nearer than the ground are lit like snow, and
// replace the ground in view.radiance and view.depth. arg.lump_color is the albedo. The normal is from a plane through
// the depths of 7 x 7 pixels, arg.lump_blur (m) to each side.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/noise.glsl"
#include "render/air.glsl"
#include "render/points.glsl"

#pragma reads view.near view.depth view.radiance ground.relief ground.elevation ground.snow
#pragma writes view.depth view.radiance
#pragma arguments snow_unit camera weather look
#pragma reach view_near anywhere

void stage(ivec2 pixel) {
    uint key = view_near(pixel);
    if (key == POINT_NONE) {
        return;
    }
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 ray = camera_ray(camera, pixel);
    float depth = point_depth(key, arg.lump_reach);
    float distance_to = depth / dot(ray, camera.forward);
    if (distance_to >= view_depth(pixel)) {
        return;
    }
    int spread = max(int(round(camera.focal * arg.lump_blur / (3.0 * depth))), 1);
    // Least squares: the sums of x, y and x y over a square vanish, near enough at edges too.
    vec2 rise = vec2(0.0), sums = vec2(1e-6);
    float hollow = 0.0;
    for (int k = 0; k < 49; k++) {
        ivec2 step = spread * (ivec2(k % 7, k / 7) - 3);
        uint other = view_near(clamp(pixel + step, ivec2(0), view_size - 1));
        float difference = point_depth(other, arg.lump_reach) - depth;
        if (other != POINT_NONE && abs(difference) < arg.lump_edge) {
            rise += vec2(step) * difference;
            sums += vec2(step) * vec2(step);
            hollow += clamp(-difference / arg.lump, 0.0, 1.0) / 49.0;
        }
    }
    rise /= sums;
    vec3 ahead = camera.forward + (camera.right * (float(pixel.x) + 0.5 - camera.centre.x)
                 + camera.down * (float(pixel.y) + 0.5 - camera.centre.y)) / camera.focal;
    vec3 along_x = ahead * rise.x + camera.right * (depth / camera.focal);
    vec3 along_y = ahead * rise.y + camera.down * (depth / camera.focal);
    vec3 normal = normalize(cross(along_y, along_x));
    normal = dot(normal, ray) > 0.0 ? -normal : normal;

    Weather w = Weather(normalize(arg.sun), arg.sun_light, arg.horizon, arg.zenith, arg.haze.x, arg.haze.y, arg.haze.z);
    vec3 world = camera.eye + ray * distance_to;
    ivec2 vertex = clamp(ivec2(ground_coordinates(world.xy) + 0.5), ivec2(0), ground_vertices - 1);
    vec4 relief = ground_relief(vertex);
    // Matter well above the ground is not in its shadow.
    float over = world.z - ground_elevation(vertex) - float(ground_snow(vertex)) * arg.snow_unit;
    float sunny = mix(relief.w, 1.0, smoothstep(2.0, 8.0, over / arg.lump_edge));
    float facing = max((dot(normal, w.sun) + 0.15) / 1.15, 0.0);
    vec3 sky = mix(w.horizon, w.zenith, 0.5 + 0.5 * normal.z) * relief.z * (0.6 + 0.4 * normal.z);
    vec3 back = 0.35 * vec3(0.8) * w.zenith;
    // Lumps of uneven size shade the hollows between them.
    float own = (0.84 + 0.16 * point_tint(key)) * (1.0 - min(2.0 * arg.lump_uneven * hollow, 0.8));
    vec3 light = own * arg.lump_color * (w.sun_light * facing * sunny + sky + back);
    set_view_radiance(pixel, mix(haze_light(w, ray), light, haze_passed(w, camera.eye, ray, distance_to)));
    set_view_depth(pixel, distance_to);
}

#version 460
// Balls, smoothed, on a floor: sun with soft shadows, a grey sky, screen-space ambient occlusion.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/floor.glsl"
#include "render/points.glsl"
#include "render/hash.glsl"

#pragma reads view.surface view.scene sun.near
#pragma writes view.radiance
#pragma arguments camera sun sky floor look
#pragma reach view_surface anywhere
#pragma reach view_scene anywhere

// Turns by the golden angle: points of a spiral in these directions cover a disc evenly.
const mat2 GOLDEN_TURN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

Camera camera;
SunView sun_camera;

// The area within the k-th point of a spiral, as a part of the disc.
float spiral_area(int k, int count) {
    return float(k) * (1.0 / float(count)) + 0.5 / float(count);
}

float smooth_step(float x) {
    x = clamp(x, 0.0, 1.0);
    return x * x * (3.0 - 2.0 * x);
}

vec2 first_direction(ivec2 pixel, uint seed) {
    float angle = 6.2831853 * hash_unit(pixel, seed);
    return vec2(cos(angle), sin(angle));
}

vec3 sky(vec3 ray) {
    return mix(arg.horizon, arg.zenith, smoothstep(-0.1, 0.8, ray.z));
}

vec3 world_at(ivec2 pixel, float depth) {
    vec3 ray = camera_ray(camera, pixel);
    return camera.eye + ray * (depth / dot(ray, camera.forward));
}

// The smaller of the differences to both sides, so that edges do not tilt the normal.
vec3 slope_along(ivec2 pixel, ivec2 axis, vec3 here) {
    ivec2 before = max(pixel - axis, ivec2(0)), after = min(pixel + axis, view_size - 1);
    float back = view_surface(before).x, ahead = view_surface(after).x;
    vec3 low = here - world_at(before, back), high = world_at(after, ahead) - here;
    bool has_low = back > 0.0, has_high = ahead > 0.0;
    if (has_low && has_high) {
        return dot(low, low) < dot(high, high) ? low : high;
    }
    return has_low ? low : high;
}

// Share of the sun that arrives: the sun's picture at points of a disc, which softens hard edges.
float sunlight(vec3 world, ivec2 pixel) {
    vec3 at = sun_place(sun_camera, world, arg.target, arg.extent, sun_size);
    vec2 direction = first_direction(pixel, 17u);
    float lit = 0.0, nearest = point_steps_of(at.z - arg.bias, 2.0 * arg.extent);
    vec2 last = vec2(sun_size - 1);
    const int COUNT = 16;
    for (int k = 0; k < COUNT; k++) {
        vec2 to = floor(at.xy + arg.softness * sqrt(spiral_area(k, COUNT)) * direction);
        direction = GOLDEN_TURN * direction;
        vec2 near = clamp(to, vec2(0.0), last);
        uint key = sun_near(nearest_integer(near));
        lit += near != to || point_steps(key) > nearest ? 1.0 : 0.0;
    }
    return lit * (1.0 / float(COUNT));
}

// Share of the sky that is open, by depths on a spiral about the pixel: nearer ones block, unless they are much nearer.
float openness(ivec2 pixel, float depth) {
    float reach = camera.focal * arg.hollow / depth;
    vec2 direction = first_direction(pixel, 29u);
    float blocked = 0.0, per_hollow = 1.0 / arg.hollow;
    vec2 middle = vec2(pixel), last = vec2(view_size - 1);
    const int COUNT = 20;
    for (int k = 0; k < COUNT; k++) {
        vec2 other = clamp(middle + trunc(reach * sqrt(spiral_area(k, COUNT)) * direction), vec2(0.0), last);
        direction = GOLDEN_TURN * direction;
        float nearer = (depth - view_scene(nearest_integer(other))) * per_hollow;
        blocked += smooth_step(nearer * (1.0 / 0.45) - 0.05 / 0.45) * (1.0 - smooth_step(nearer * (1.0 / 1.5) - 1.0));
    }
    return 1.0 - 0.75 / float(COUNT) * blocked;
}

// Grey, with the border of arg.room (low x, low y, high x, high y) drawn on it; it fades into the horizon.
vec3 floor_albedo(vec3 world) {
    vec2 outside = max(arg.room.xy - world.xy, world.xy - arg.room.zw);
    float border = abs(max(outside.x, outside.y));
    float width = 0.0035;
    return mix(arg.color, 0.45 * arg.color, 1.0 - smoothstep(width, 2.2 * width, border));
}

void stage(ivec2 pixel) {
    camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    sun_camera = sun_view(arg.towards);
    vec3 towards_sun = -sun_camera.away;
    vec3 ray = camera_ray(camera, pixel);
    float depth = view_surface(pixel).x;
    float under = floor_depth(camera, ray);
    vec3 light = sky(ray);
    if (depth > 0.0) {
        vec3 world = world_at(pixel, depth);
        vec3 normal = normalize(cross(slope_along(pixel, ivec2(0, 1), world), slope_along(pixel, ivec2(1, 0), world)));
        normal = dot(normal, ray) > 0.0 ? -normal : normal;
        vec3 albedo = mix(arg.dark, arg.bright, view_surface(pixel).y);
        float open = openness(pixel, depth);
        float sunny = sunlight(world, pixel);
        // Wrapped diffuse light, for translucent matter.
        float facing = max((dot(normal, towards_sun) + arg.wrap) / (1.0 + arg.wrap), 0.0);
        vec3 from_floor = arg.color * (0.35 - 0.35 * normal.z);
        vec3 diffuse = arg.light * facing * mix(sunny, 1.0, 0.25 * arg.wrap) + open * (sky(normal) + from_floor);
        // Schlick's reflectance of the sky, and a highlight (Blinn and Phong).
        vec3 mirror = reflect(ray, normal);
        float fresnel = arg.gloss * (0.04 + 0.96 * pow(1.0 - max(dot(-ray, normal), 0.0), 5.0));
        vec3 between = normalize(towards_sun - ray);
        float highlight = arg.gloss * sunny * 0.8 * pow(max(dot(normal, between), 0.0), 120.0);
        light = albedo * diffuse * (1.0 - fresnel) + fresnel * open * 1.6 * sky(mirror) + highlight * arg.light;
    } else if (under > 0.0) {
        vec3 world = world_at(pixel, under);
        float away = smoothstep(0.7, 3.0, length(world.xy - arg.target.xy) / arg.extent);
        vec3 lit = vec3(0.0);
        if (away < 1.0) {
            vec3 direct = arg.light * max(towards_sun.z, 0.0) * sunlight(world, pixel);
            lit = floor_albedo(world) * (direct + openness(pixel, under) * sky(vec3(0.0, 0.0, 1.0)));
        }
        light = mix(lit, sky(vec3(ray.xy, 0.0)), away);
    }
    vec2 off = (vec2(pixel) + 0.5 - camera.centre) / camera.centre;
    light *= arg.exposure * (1.0 - 0.1 * dot(off, off));
    set_view_radiance(pixel, light);
}

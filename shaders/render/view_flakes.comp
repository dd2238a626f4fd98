#version 460
#extension GL_EXT_control_flow_attributes : require
// One flake: its path during the exposure, spread over the pixels as optical depth. Integer atomics, so the sum does
// not depend on the order of flakes.
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/noise.glsl"
#include "render/air.glsl"
#include "render/light.glsl"

#pragma reads flakes.position flakes.velocity flakes.id view.depth
#pragma writes view.light
#pragma arguments camera weather.haze look

// Integral from -infinity to `x` of a soft bump of half-width `r` and area 1: differences at pixel edges telescope, so
// the shares of the pixels add up to 1 for any position of the flake.
float bump_share(float x, float r) {
    return smoothstep(-r, r, x);
}

// The integral for the bump smeared evenly over [0, run]; `ramp` is the integral of bump_share.
float ramp(float x, float r) {
    float u = clamp((x + r) / (2.0 * r), 0.0, 1.0);
    return 2.0 * r * u * u * u * (1.0 - 0.5 * u) + max(x - r, 0.0);
}

float streak_share(float x, float run, float r) {
    return (ramp(x, r) - ramp(x - run, r)) / run;
}

#if HAS_flakes_id
uint identity(uint flake) {
    return flakes_id(flake);
}
#else
uint identity(uint flake) {
    return flake;
}
#endif

void stage(uint flake) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 now = flakes_position(flake);
    vec3 middle = now - 0.5 * arg.exposure * flakes_velocity(flake);
    vec3 from = camera_view(camera, now - arg.exposure * flakes_velocity(flake));
    vec3 to = camera_view(camera, now);
    if (min(from.z, to.z) < arg.near) {
        return;
    }
    vec2 a = camera_project(camera, from);
    vec2 b = camera_project(camera, to);

    // Size: the flake, its blur by a lens focused at `focus`; at least `least` pixels, at most 1/64 of the height.
    float depth = 0.5 * (from.z + to.z);
    float largest = float(view_size.y) / 64.0;
    // No two flakes alike: 0.6 to 1.6 times the middling radius.
    float kind = float(hash_uint(identity(flake)) >> 8) / 16777216.0;
    float radius = camera.focal * arg.radius * (0.6 + kind * kind) / depth;
    float blur = camera.focal * arg.lens * abs(1.0 / depth - 1.0 / arg.focus);
    float r = clamp(radius + blur, arg.least, largest);
    float distance_to = length(middle - camera.eye);
    vec3 ray = (middle - camera.eye) / distance_to;
    Weather w = Weather(vec3(0.0, 0.0, 1.0), vec3(0.0), vec3(0.0), vec3(0.0), arg.haze.x, arg.haze.y, arg.haze.z);
    // Light is conserved: the light of the original disc is spread over its area (pixels). Flakes fade in over
    // the last metres so that none pops up at the near plane.
    float area = 3.14159265 * min(radius, largest) * min(radius, largest);
    float amount = arg.opacity * area * haze_passed(w, camera.eye, ray, distance_to)
        * smoothstep(arg.near, 2.0 * arg.near, depth);

    // Along the major axis in columns of pixels, (after a swap) from the lower end up.
    bool steep = abs(b.y - a.y) > abs(b.x - a.x);
    a = steep ? a.yx : a;
    b = steep ? b.yx : b;
    vec2 start = a.x <= b.x ? a : b;
    float run = abs(b.x - a.x);
    float tilt = run > 1e-3 ? (a.x <= b.x ? b.y - a.y : a.y - b.y) / run : 0.0;
    // The longest streak is 1/8 of the image height: work per flake is bounded; the light per pixel stays.
    float longest = float(view_size.y) / 8.0;
    if (run > longest) {
        start += 0.5 * (run - longest) * vec2(1.0, tilt);
        amount *= longest / run;
        run = longest;
    }
    run = max(run, 0.25);
    float wide = r * sqrt(1.0 + tilt * tilt);
    // The shutter opens and closes gradually: soft ends.
    float ends = max(r, 0.35 * run);

    ivec2 size = steep ? view_size.yx : view_size;
    int first = max(int(floor(start.x - ends)), 0);
    int last = min(int(floor(start.x + run + ends)), size.x - 1);
    uint most = 0xffffffffu / flakes_count;
    for (int column = first; column <= last; ++column) {
        float along = float(column) - start.x;
        float share = streak_share(along + 1.0, run, ends) - streak_share(along, run, ends);
        float line = start.y + tilt * (along + 0.5);
        // Round ends.
        float beyond = max(max(-along - 0.5, along + 0.5 - run), 0.0) / ends;
        float half_wide = max(wide * sqrt(max(1.0 - beyond * beyond, 0.0)), min(wide, 0.5));
        int low = max(int(floor(line - half_wide)), 0);
        int high = min(int(floor(line + half_wide)), size.y - 1);
        for (int row = low; row <= high; ++row) {
            float across = bump_share(float(row + 1) - line, half_wide) - bump_share(float(row) - line, half_wide);
            uint units = min(uint(amount * share * across * LIGHT_UNITS + 0.5), most);
            ivec2 pixel = steep ? ivec2(row, column) : ivec2(column, row);
            if (units > 0u && view_depth(pixel) > distance_to) {
                add_view_light(pixel, units);
            }
        }
    }
}

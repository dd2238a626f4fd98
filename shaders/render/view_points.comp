#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "lib/processor.glsl"
#include "render/camera.glsl"
#include "render/noise.glsl"
#include "render/points.glsl"

#pragma reads matter.position matter.velocity matter.number view.near
#pragma writes view.near
#pragma arguments camera look
#pragma unordered view_near

// Draws one particle as a ball: writes its front surface to the picture. Its radius is between 1 - arg.uneven and 1 times
// arg.radius (m). Radius and tint depend on the number of the particle, so that sorted particles keep theirs. The tint also
// depends on the speed, weighted by arg.tint: (share by number, share by speed, m/s at which that is full).
void stage(uint particle) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, view_size);
    vec3 middle = camera_view(camera, matter_position(particle));
    if (middle.z < 4.0 * arg.radius) {
        return;
    }
    vec2 at = camera_project(camera, middle);
    float own = float(hash_uint(matter_number(particle)) >> 8) / 16777216.0;
    float ball = arg.radius * (1.0 - arg.uneven * own), radius = camera.focal * ball / middle.z;
    float tint = arg.tint.x * own + arg.tint.y * clamp(length(matter_velocity(particle)) / arg.tint.z, 0.0, 1.0);
    ivec2 low = max(ivec2(floor(at - radius)), ivec2(0));
    ivec2 high = min(ivec2(floor(at + radius)), view_size - 1);
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            vec2 from = (vec2(x, y) + 0.5 - at) / radius;
            float left = 1.0 - dot(from, from);
            if (left > 0.0) {
                uint key = point_key(middle.z - ball * sqrt(left), arg.reach, tint);
                // Processors do atomics one by one.
                if (!ON_PROCESSOR || key < view_near(ivec2(x, y))) {
                    min_view_near(ivec2(x, y), key);
                }
            }
        }
    }
}

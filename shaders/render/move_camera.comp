#version 460
#include "stage.glsl"

#pragma reads eyes targets
#pragma writes place
#pragma arguments still motion

// The camera of a frame: a still one, one that turns about the vertical axis through its target, or one that passes through key
// positions on a uniform Catmull-Rom curve (Catmull & Rom 1974), which begins and ends at the outermost keys.

vec3 between(vec3 a, vec3 b, vec3 c, vec3 d, float t) {
    return 0.5 * (2.0 * b + t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a))));
}

// Beyond the ends the curve is extended linearly.
vec3 key_eye(int k, int last) {
    return k < 0 ? 2.0 * eyes(0u) - eyes(1u) : k > last ? 2.0 * eyes(uint(last)) - eyes(uint(last - 1)) : eyes(uint(k));
}

vec3 key_target(int k, int last) {
    return k < 0 ? 2.0 * targets(0u) - targets(1u)
         : k > last ? 2.0 * targets(uint(last)) - targets(uint(last - 1)) : targets(uint(k));
}

void stage(uint i) {
    vec3 eye = arg.eye, target = arg.target;
    // The path starts at frame arg.first_frame.
    float frame = max(float(clock.frame) - arg.first_frame, 0.0);
    int last = int(arg.keys) - 1;
    if (last >= 1) {
        float at = min(frame / arg.frames_per_key, float(last));
        int k = min(int(floor(at)), last - 1);
        float t = at - float(k);
        eye = between(key_eye(k - 1, last), key_eye(k, last), key_eye(k + 1, last), key_eye(k + 2, last), t);
        target = between(key_target(k - 1, last), key_target(k, last), key_target(k + 1, last), key_target(k + 2, last), t);
    }
    float angle = radians(arg.turn * frame);
    vec3 arm = eye - target;
    eye = target + vec3(cos(angle) * arm.x - sin(angle) * arm.y, sin(angle) * arm.x + cos(angle) * arm.y, arm.z);
    // One eye of two that look ahead in parallel (render/view_stereo.comp).
    vec3 aside = arg.eye_offset == 0.0 ? vec3(0.0) : arg.eye_offset * normalize(cross(target - eye, vec3(0.0, 0.0, 1.0)));
    set_place(0u, eye + aside);
    set_place(1u, target + aside);
}

// Points drawn as balls: an integer minimum finds the nearest one in a pixel, so it does not depend on the order of
// particles. A key has the depth in its upper 20 bits, in equal steps from 0 to arg.reach (m), and a tint in its lower 12.

#include "lib/rounding.glsl"

const uint POINT_NONE = 0xffffffffu;

uint point_key(float depth, float reach, float tint) {
    int steps = nearest_integer(floor(clamp(depth / reach, 0.0, 0.999999) * 1048575.0));
    return uint(steps << 12 | nearest_integer(floor(clamp(tint, 0.0, 1.0) * 4095.0)));
}

float point_depth(uint key, float reach) {
    return (float(key >> 12) + 0.5) / 1048575.0 * reach;
}

// The steps of a key, and those of a depth, to compare: POINT_NONE is beyond all depths.
float point_steps(uint key) {
    return float(int(key >> 12));
}

float point_steps_of(float depth, float reach) {
    return min(depth / reach * 1048575.0 - 0.5, 1048574.0);
}

float point_tint(uint key) {
    return float(key & 4095u) / 4095.0;
}

// The sun's own picture of the points: parallel rays, `extent` (m) across, about `target`.
struct SunView {
    vec3 right;
    vec3 up;
    vec3 away;  // unit, from the sun
};

SunView sun_view(vec3 sun) {
    SunView s;
    s.away = -normalize(sun);
    s.right = normalize(cross(s.away, abs(s.away.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(0.0, 1.0, 0.0)));
    s.up = cross(s.right, s.away);
    return s;
}

// Pixel coordinates in x and y; z is the depth (m), which is `extent` at the target.
vec3 sun_place(SunView s, vec3 world, vec3 target, float extent, ivec2 size) {
    vec3 p = world - target;
    vec2 at = (vec2(dot(p, s.right), dot(p, s.up)) / extent + 0.5) * vec2(size);
    return vec3(at, dot(p, s.away) + extent);
}

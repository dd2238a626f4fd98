#version 460
#include "stage.glsl"

#pragma reads winds
#pragma writes wind
#pragma arguments wind.period brush

// The wind at the outer boundary, m/s: it follows the list `winds` once per arg.period seconds and returns to the first
// entry. Between two entries it follows 3t^2 - 2t^3, so its speed stays within the listed speeds and its acceleration is
// bounded. A period of 0 holds the first entry. While the pointer is held, the wind blows towards it instead: with
// arg.gust m/s where the pointer is at the border of the picture, seen from arg.eye to arg.target.
void stage(uint index) {
    vec3 now = winds(0u);
    if (arg.period > 0.0 && winds_length > 1u) {
        float along = fract(clock.time / arg.period) * float(winds_length);
        uint from = min(uint(along), winds_length - 1u);
        uint to = from + 1u == winds_length ? 0u : from + 1u;
        float t = along - float(from);
        float blend = t * t * (3.0 - 2.0 * t);
        now = winds(from) + blend * (winds(to) - winds(from));
    }
    if (arg.held > 0.0) {
        vec2 ahead = normalize(arg.target.xy - arg.eye.xy);
        vec2 towards = 2.0 * arg.at - 1.0;
        now.xy = arg.gust * (towards.x * vec2(ahead.y, -ahead.x) + towards.y * ahead);
    }
    set_wind(index, vec3(now.xy, 0.0));  // top and bottom are walls to the wind
}

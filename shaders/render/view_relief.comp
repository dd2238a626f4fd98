#version 460
#extension GL_EXT_control_flow_attributes : require
// Data for shading per vertex, once per frame: slopes, open sky, sun, snow cover.
// Per vertex because there are several pixels to a vertex and because interpolation then softens the shadows, as
// a sun behind thin cloud does.
#include "stage.glsl"
#include "render/surface.glsl"
#include "render/summit.glsl"

#pragma reads ground.elevation ground.snow summit
#pragma writes ground.relief ground.cover
#pragma arguments snow_unit weather.sun
#pragma reach ground_elevation anywhere
#pragma reach ground_snow anywhere

// Share of a uniform sky that a level patch sees above its horizon: the mean over directions of cos^2(horizon angle)
// (cosine-weighted; Max 1988, "Horizon mapping"). Distances double, so near hollows and far hills both count.
float open_sky(ivec2 vertex, float height) {
    const int DIRECTIONS = 8;
    float sky = 0.0;
    [[dont_unroll]] for (int k = 0; k < DIRECTIONS; ++k) {
        float turn = 0.785398163 * float(k);
        ivec2 towards = ivec2(round(1.4 * vec2(cos(turn), sin(turn))));
        float run = length(vec2(towards) * ground_spacing);
        float steepest = 0.0;
        [[dont_unroll]] for (int reach = 1; reach <= 32; reach *= 2) {
            float rise = surface_height(surface_fold(vertex + towards * reach)) - height;
            steepest = max(steepest, rise / (run * float(reach)));
        }
        sky += 1.0 / (1.0 + steepest * steepest);
    }
    return sky / float(DIRECTIONS);
}

// Visible share of a sun of angular radius `sun_softness` (degrees): by the clearance of the ray over the surface, as
// an angle, at its tightest place. Steps grow with distance, since the penumbra does.
float sun_share(ivec2 vertex, float height) {
    vec3 sun = normalize(arg.sun);
    vec2 flat_sun = normalize(sun.xy + vec2(1e-6, 0.0));
    float climb = sun.z / max(length(sun.xy), 1e-3);
    vec2 per_metre = flat_sun / ground_spacing;
    float spacing = min(ground_spacing.x, ground_spacing.y);
    float top = summit_height(summit(0u));
    float softness = radians(arg.sun_softness);
    float clearance = 1.0;
    float run = spacing;
    [[dont_unroll]] for (int k = 0; k < 96; ++k) {
        float ray = height + climb * run;
        // Nothing is above, or all of the sun is hidden.
        if (ray > top || clearance <= -softness) {
            break;
        }
        vec2 p = vec2(vertex) + per_metre * run;
        vec2 last = vec2(ground_vertices - 1);
        p = clamp(last - abs(last - abs(p)), vec2(0.0), last);
        clearance = min(clearance, (ray - surface_between(p)) / run);
        run += max(spacing, 0.1 * run);
    }
    return smoothstep(-softness, softness, clearance);
}

// Snow depth (m), blurred over 13 x 13 vertices: landings are single events, the ground between them is not bare. Every
// second vertex will do: a landing is a tent two vertices wide, so whichever half is read holds half of it.
float snow_cover(ivec2 vertex) {
    float sum = 0.0;
    [[dont_unroll]] for (int y = -3; y <= 3; ++y) {
        [[dont_unroll]] for (int x = -3; x <= 3; ++x) {
            float weight = float((4 - abs(x)) * (4 - abs(y)));
            sum += weight * float(ground_snow(surface_fold(vertex + 2 * ivec2(x, y))));
        }
    }
    return sum * (arg.snow_unit / 256.0);
}

void stage(ivec2 vertex) {
    ivec2 low = max(vertex - 1, ivec2(0));
    ivec2 high = min(vertex + 1, ground_vertices - 1);
    vec2 run = vec2(high - low) * ground_spacing;
    vec2 slope = vec2(surface_height(ivec2(high.x, vertex.y)) - surface_height(ivec2(low.x, vertex.y)),
                      surface_height(ivec2(vertex.x, high.y)) - surface_height(ivec2(vertex.x, low.y))) / run;
    float height = surface_height(vertex);
    set_ground_relief(vertex, vec4(slope, open_sky(vertex, height), sun_share(vertex, height)));
    set_ground_cover(vertex, snow_cover(vertex));
}

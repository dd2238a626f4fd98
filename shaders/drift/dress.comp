#version 460
#include "stage.glsl"

#pragma reads ground.elevation ground.snow scene.roof
#pragma writes scene.elevation scene.snow scene.paint
#pragma reach scene_roof 1
#pragma argument vec3 wall_color

// Bilinear between vertices of the ground: elevation, m, and units of snow.
vec2 ground_between(vec2 at) {
    ivec2 low = ivec2(floor(at));
    vec2 part = at - vec2(low), sum = vec2(0.0);
    for (int k = 0; k < 4; k++) {
        ivec2 aside = ivec2(k & 1, k >> 1);
        ivec2 vertex = clamp(low + aside, ivec2(0), ground_vertices - 1);
        vec2 weight = mix(1.0 - part, part, vec2(aside));
        sum += weight.x * weight.y * vec2(ground_elevation(vertex), float(ground_snow(vertex)));
    }
    return sum;
}

// The ground for pictures, on finer vertices: with its snow, or where an obstacle stands with the height of its roof. Walls
// stand between two vertices, which both have their colour.
void stage(ivec2 vertex) {
    vec2 ground = ground_between((scene_origin + vec2(vertex) * scene_spacing - ground_origin) / ground_spacing);
    float roof = scene_roof(vertex), beside = roof;
    for (int k = 0; k < 4; k++) {
        ivec2 way = (k & 1) == 0 ? ivec2(1, 0) : ivec2(0, 1);
        ivec2 other = clamp(vertex + (k > 1 ? way : -way), ivec2(0), scene_vertices - 1);
        beside = max(beside, scene_roof(other));
    }
    bool built = roof > ground.x;
    set_scene_elevation(vertex, built ? roof : ground.x);
    set_scene_snow(vertex, built ? 0u : uint(ground.y));
    set_scene_paint(vertex, vec4(arg.wall_color, float(beside > ground.x)));
}

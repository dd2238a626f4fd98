#version 460
#extension GL_EXT_control_flow_attributes : require
// Once: the density of trees, from 0 to 1 per vertex. In stands (noise), not on cliffs, thinning out above
// the tree line.
#include "stage.glsl"
#include "render/noise.glsl"

#pragma reads ground.elevation
#pragma writes ground.forest
#pragma arguments look.forest look.tree_line
#pragma reach ground_elevation 1

void stage(ivec2 vertex) {
    ivec2 low = max(vertex - 1, ivec2(0));
    ivec2 high = min(vertex + 1, ground_vertices - 1);
    vec2 run = vec2(high - low) * ground_spacing;
    vec2 slope = vec2(ground_elevation(ivec2(high.x, vertex.y)) - ground_elevation(ivec2(low.x, vertex.y)),
                      ground_elevation(ivec2(vertex.x, high.y)) - ground_elevation(ivec2(vertex.x, low.y))) / run;
    float height = ground_elevation(vertex);
    vec2 place = ground_position(vertex);
    float stand = fractal_noise(vec3(place, height), 110.0, 0.0, 5, 0.55, 41u).x;
    float cliff = max(length(slope) - 0.7, 0.0);
    float density = 2.6 * (stand - 0.5) + arg.forest - (height - arg.tree_line) / 50.0 - 0.8 * cliff;
    set_ground_forest(vertex, clamp(density, 0.0, 1.0));
}

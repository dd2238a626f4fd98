#version 460
#include "stage.glsl"

#pragma reads ground.elevation
#pragma writes ground.elevation
#pragma arguments sides
#pragma argument float floor
#pragma argument vec2 margin

// Levels the ground towards the sides along x and y: it becomes arg.floor (m) at them and stays as it is arg.margin (m)
// inside, smoothly between; 0 leaves the sides of an axis. So the wind comes in over flat ground, whose profile is known, and
// periodic sides fit together.
void stage(ivec2 vertex) {
    vec2 from_low = vec2(vertex) + 0.5, from_high = vec2(ground_vertices - vertex) - 0.5;
    vec2 nearest = min(from_low, from_high) * ground_spacing;
    vec2 inside = smoothstep(vec2(0.0), max(arg.margin, vec2(1e-3)), nearest);
    set_ground_elevation(vertex, mix(arg.floor, ground_elevation(vertex), inside.x * inside.y));
}

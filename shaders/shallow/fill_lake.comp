#version 460
#include "stage.glsl"

#pragma reads ground.elevation
#pragma writes ground.depth ground.flow
#pragma arguments lake

// A lake at rest: water up to the height arg.level (m) within arg.radius (m) of arg.middle (m).
void stage(ivec2 vertex) {
    bool is_inside = length(ground_position(vertex) - arg.middle) < arg.radius;
    set_ground_depth(vertex, is_inside ? max(arg.level - ground_elevation(vertex), 0.0) : 0.0);
    set_ground_flow(vertex, vec2(0.0));
}

#version 460
#include "stage.glsl"
#include "shallow/states.glsl"

#pragma arguments gravity
#pragma reduces max fastest

// Cells per second of the fastest waves along both axes together.
void stage(ivec2 vertex) {
    float depth = ground_depth(vertex);
    vec2 speed = abs(velocity_of(depth, ground_flow(vertex))) + sqrt(arg.gravity * depth);
    max_fastest(speed.x / ground_spacing.x + speed.y / ground_spacing.y);
}

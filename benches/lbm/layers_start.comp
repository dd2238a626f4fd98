#version 460
#include "stage.glsl"

#pragma writes box.u
#pragma arguments period speed

// Layers of alternating direction, and a small disturbance that is different in each column.
void stage(ivec3 cell) {
    float k = 6.2831853 / arg.period;
    vec3 at = vec3(cell);
    float height = fract(at.z / arg.period);
    float layer = height < 0.5 ? tanh(30.0 * (height - 0.25)) : tanh(30.0 * (0.75 - height));
    float lift = sin(k * at.x + 2.0 * sin(0.31 * k * at.y)) * (1.0 + 0.5 * sin(0.13 * k * at.z));
    set_box_u(cell, arg.speed * vec3(layer, 0.02 * sin(k * at.z), 0.05 * lift));
}

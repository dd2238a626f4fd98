#version 460
#include "stage.glsl"

#pragma reads ground.elevation ground.depth ground.flow
#pragma writes ground.surface ground.paint
#pragma arguments tint

// The surface of the water as part of the terrain, and its colour: deep water is darker, fast water has foam.
void stage(ivec2 vertex) {
    float depth = ground_depth(vertex), speed = length(ground_flow(vertex)) / max(depth, 0.05);
    vec3 color = mix(arg.shallow, arg.deep, 1.0 - exp(-depth / arg.clear));
    color = mix(color, arg.foam, 0.8 * smoothstep(0.3, 1.0, speed / arg.fast));
    set_ground_surface(vertex, ground_elevation(vertex) + depth);
    set_ground_paint(vertex, vec4(color, smoothstep(0.0, 1.0, depth / arg.visible)));
}

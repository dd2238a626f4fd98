#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/ball.glsl"

// Sorted particles keep their numbers, so that a grain keeps its tint.
void stage(uint particle) {
    draw_ball(particle, matter_number(particle));
}

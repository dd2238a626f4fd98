#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/ball.glsl"

void stage(uint particle) {
    draw_ball(particle, particle);
}

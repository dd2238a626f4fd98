#version 460
#include "stage.glsl"

void stage(ivec2 vertex) {
    set_ground_snow(vertex, uint(vertex.x + 10 * vertex.y) + 40u * clock.step);
}

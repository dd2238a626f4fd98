#version 460
#include "stage.glsl"

void stage(uint i) {
    set_highest(i, ground_elevation(ground_vertices / 2));
}

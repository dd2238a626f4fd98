#version 460
#include "stage.glsl"

#pragma reads ground.elevation ground.snow
#pragma writes ground.height
#pragma arguments snow_unit
#pragma reach ground_elevation anywhere
#pragma reach ground_snow anywhere

float surface(ivec2 vertex) {
    return ground_elevation(vertex) + float(ground_snow(vertex)) * arg.snow_unit;
}

// The surface above the first vertex, m: so rounding makes no waves on level snow.
void stage(ivec2 vertex) {
    set_ground_height(vertex, surface(vertex) - surface(ivec2(0)));
}

#version 460
#include "stage.glsl"
#include "render/points.glsl"

// Before points are drawn from the sun: a picture without any.
void stage(ivec2 pixel) {
    set_sun_near(pixel, POINT_NONE);
}

#version 460
#include "stage.glsl"
#include "render/points.glsl"

// Before points are drawn: a picture without any.
void stage(ivec2 pixel) {
    set_view_near(pixel, POINT_NONE);
}

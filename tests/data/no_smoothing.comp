#version 460
#include "stage.glsl"

// Stands in for `smooth_snow`: snow stays where it fell, however steep it gets.
void stage(ivec2 vertex) {
    set_ground_snow_next(vertex, ground_snow(vertex));
}

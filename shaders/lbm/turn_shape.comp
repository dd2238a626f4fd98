#version 460
#include "stage.glsl"
#include "lbm/pose.glsl"

#pragma reads body.shape pose
#pragma writes drawn.shape

// The body where it is now, for pictures.
void stage(ivec3 cell) {
    set_drawn_shape(cell, sample_body_shape(on_body(drawn_position(cell))));
}

#version 460
#include "stage.glsl"

#pragma reads ground.snow_next ground.fresh
#pragma writes ground.snow ground.fresh
// The ground is finer than the air and not cut with it.
#pragma whole

// Ends a step on the ground: adds the snow that landed in this step to the smoothed snow, and resets `fresh`.
void stage(ivec2 vertex) {
    set_ground_snow(vertex, ground_snow_next(vertex) + ground_fresh(vertex));
    set_ground_fresh(vertex, 0u);
}

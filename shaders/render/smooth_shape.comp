#version 460
#include "stage.glsl"

#pragma reads body.rough
#pragma writes body.shape
#pragma reach body_rough 1

// The mean over the 27 cells around, which smooths the surface of a shape of 1 and 0.
void stage(ivec3 cell) {
    float sum = 0.0;
    for (int k = 0; k < 27; k++) {
        sum += body_rough(clamp(cell + ivec3(k % 3, k / 3 % 3, k / 9) - 1, ivec3(0), body_cells - 1));
    }
    set_body_shape(cell, sum / 27.0);
}

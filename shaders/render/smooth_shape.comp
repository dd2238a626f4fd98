#version 460
#include "stage.glsl"

#pragma reads body.rough
#pragma writes body.shape
#pragma reach body_rough 1

// The mean over the 27 cells around, which smooths the surface of a shape of 1 and 0. Parts and gaps of two to three cells would
// vanish. With arg.spare_thin 1 they stay as they are: none of the cells around them on their side is far from the surface.
void stage(ivec3 cell) {
    float sum = 0.0, low = 1.0, high = 0.0;
    for (int k = 0; k < 27; k++) {
        float near = body_rough(clamp(cell + ivec3(k % 3, k / 3 % 3, k / 9) - 1, ivec3(0), body_cells - 1));
        sum += near;
        low = min(low, near);
        high = max(high, near);
    }
    float here = body_rough(cell), inside = here > 0.5 ? high : 1.0 - low;
    float share = arg.spare_thin == 0.0 ? 1.0 : smoothstep(0.6, 0.75, inside);
    set_body_shape(cell, share < 1.0 ? mix(here, sum / 27.0, share) : sum / 27.0);
}

#version 460
#include "stage.glsl"
#pragma reads plane.a
#pragma writes plane.b
#pragma reach plane_a 1

// A 5-point average, except for cells at the border.
void stage(ivec2 cell) {
    if (any(equal(cell, ivec2(0))) || any(equal(cell, plane_cells - 1))) {
        return;
    }
    const ivec2 x = ivec2(1, 0), y = ivec2(0, 1);
    float sum = plane_a(cell - x) + plane_a(cell + x) + plane_a(cell - y) + plane_a(cell + y);
    set_plane_b(cell, 0.125 * sum + 0.5 * plane_a(cell));
}

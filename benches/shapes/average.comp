#version 460
#include "stage.glsl"
#pragma reads box.a
#pragma writes box.b
#pragma reach box_a 1

// A 7-point average, except for cells at the border.
void stage(ivec3 cell) {
    if (any(equal(cell, ivec3(0))) || any(equal(cell, box_cells - 1))) {
        return;
    }
    const ivec3 x = ivec3(1, 0, 0), y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    float sum = box_a(cell - x) + box_a(cell + x) + box_a(cell - y) + box_a(cell + y) + box_a(cell - z) + box_a(cell + z);
    set_box_b(cell, 0.125 * sum + 0.25 * box_a(cell));
}

#version 460
#pragma reach space_a 1
#include "stage.glsl"

// A 7-point stencil, except for cells at the edge of the domain.
void stage(ivec3 cell) {
    if (any(equal(cell, ivec3(0))) || any(equal(cell, space_cells - 1))) {
        return;
    }
    const ivec3 x = ivec3(1, 0, 0), y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    float sum = space_a(cell - x) + space_a(cell + x) + space_a(cell - y) + space_a(cell + y) + space_a(cell - z) + space_a(cell + z);
    set_space_b(cell, 0.125 * sum + 0.25 * space_a(cell));
}

#version 460
#include "stage.glsl"
#pragma reads box.a box.b
#pragma writes box.a

void stage(ivec3 cell) {
    set_box_a(cell, box_a(cell) + box_b(cell));
}

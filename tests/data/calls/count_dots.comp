#version 460
#include "stage.glsl"

void stage(uint i) {
    ivec3 cell = ivec3(floor(box_coordinates(dots_position(i))));
    if (box_is_active(cell)) {
        add_box_hits(cell, 1u);
    }
}

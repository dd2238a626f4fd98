#version 460
#include "stage.glsl"

// Doubles the values: four at a time where rows are a multiple of four cells, else one by one.
void stage(ivec3 cell) {
    if (stage_width == 1) {
        set_box_next(cell, 2.0 * box_next(cell));
    } else {
        set_box_next_x4(cell, 2.0 * box_next_x4(cell));
    }
}

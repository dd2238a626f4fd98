#version 460
#include "stage.glsl"

// The mean of each cell and the next one, in pairs.
void stage(ivec3 cell) {
    if (stage_width == 1) {
        return;
    }
    vec4 row = box_next_x4(cell);
    set_box_next_x4(cell, 0.5 * (row + row.yxwz));
}

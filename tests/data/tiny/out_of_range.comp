#version 460
#pragma reach box_next anywhere
#include "stage.glsl"

// Stands in for `spread`; from step 40 on, one cell writes past the end of the grid.
void stage(ivec3 cell) {
    set_box_next(cell, box_heat(cell));
    if (clock.step >= 40u && cell == ivec3(3, 2, 1)) {
        set_box_next(ivec3(3, 2, box_cells.z + 2), 1.0);
    }
}

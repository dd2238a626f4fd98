#version 460
#pragma reach box_heat 1
#include "stage.glsl"

// One explicit step of the heat equation with insulated walls.
void stage(ivec3 cell) {
    float own = box_heat(cell), gain = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            ivec3 other = cell;
            other[axis] = clamp(cell[axis] + side, 0, box_cells[axis] - 1);
            gain += box_heat(other) - own;
        }
    }
    set_box_next(cell, own + arg.rate * gain);
}

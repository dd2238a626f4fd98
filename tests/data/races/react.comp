#version 460
#pragma reach dish_c 1
#include "stage.glsl"

void stage(ivec2 cell) {
    set_dish_c(cell, 0.5 * (dish_c(cell) + dish_c(cell + ivec2(0, 1))) + 0.01 * float(cell.x));
}

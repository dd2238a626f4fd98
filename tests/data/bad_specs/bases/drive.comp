#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_grid_u(cell, 1.0);
}

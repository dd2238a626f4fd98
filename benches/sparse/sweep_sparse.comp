#version 460
#include "stage.glsl"

// Two loads and a store per cell.
void stage(ivec3 cell) {
    set_space_a(cell, 0.5 * space_a(cell) + space_b(cell) + 1.0);
}

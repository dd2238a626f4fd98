#version 460
#include "stage.glsl"

// Two loads and a store per cell.
void stage(ivec3 cell) {
    set_box_a(cell, 0.5 * box_a(cell) + box_b(cell) + 1.0);
}

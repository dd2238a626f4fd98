#version 460
#include "stage.glsl"

// Cells count the steps that they are there, here and in a dense grid that never forgets.
void stage(ivec3 cell) {
    set_g_age(cell, g_age(cell) + 1u);
    add_all_visits(cell, 1u);
}

#version 460
#pragma reach g_hits anywhere
#include "stage.glsl"

// As hit.comp, and one access to a cell that should be left alone.
void stage(ivec3 cell) {
    add_g_hits(cell, 1u);
    set_g_hits(ivec3(69, 40, 32), 5u);
}

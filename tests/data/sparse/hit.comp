#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    add_g_hits(cell, 1u);
}

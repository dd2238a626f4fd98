#version 460
#include "stage.glsl"

void stage(uint i) {
    set_pebbles_moves(i, pebbles_moves(i) + 1u);
}

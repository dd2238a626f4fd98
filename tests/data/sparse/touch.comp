#version 460
#include "stage.glsl"

// One access to a cell, from outside the blocks: a read, a write or an atomic.
layout(constant_id = 0) const uint HOW = 0u;

void stage(uint i) {
    ivec3 cell = ivec3(arg.cell);
    if (HOW == 0u) set_seen(0u, g_id(cell));
    if (HOW == 1u) set_g_id(cell, 5u);
    if (HOW == 2u) add_g_id(cell, 5u);
}

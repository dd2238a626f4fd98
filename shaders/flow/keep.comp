#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads value
#pragma writes kept

// Keeps the values that a solve starts from. Not a copy, because `kept` need not have the border of `value`.
STAGE_IN_SPACE {
    set_kept(AT(cell), value(AT(cell)));
}

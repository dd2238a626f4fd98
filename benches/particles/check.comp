#version 460
#include "stage.glsl"

// Counts the places where a key is less than the one before it.
void stage(uint i) {
    uint mask = 0xffffffffu >> (32u - arg.bits);
    if (i > 0u && (p_key(i) & mask) < (p_key(i - 1u) & mask)) {
        add_wrong(0u, 1u);
    }
}

#version 460
#pragma reach p_key 1
#pragma reach p_name 1
#include "stage.glsl"

// Counts keys that are less than the previous key, or equal to it and out of their original order.
void stage(uint i) {
    uint mask = 0xffffffffu >> (32u - arg.bits);
    if (i > 0u) {
        uint before = p_key(i - 1u) & mask, key = p_key(i) & mask;
        if (key < before || (key == before && p_name(i) < p_name(i - 1u))) {
            add_wrong(0u, 1u);
        }
    }
}

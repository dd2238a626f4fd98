#version 460
#include "stage.glsl"

// The part of the key that was sorted by.
layout(constant_id = 0) const uint SHIFT = 0u;
layout(constant_id = 1) const uint WIDTH = 32u;

// Counts the particles whose key is less than i, by bisection: the range of key i starts there.
void stage(uint i) {
    uint low = 0u, high = particles_count;
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        bool less = bitfieldExtract(keys_in(middle), int(SHIFT), int(WIDTH)) < i;
        low = less ? middle + 1u : low;
        high = less ? high : middle;
    }
    set_offsets(i, low);
}

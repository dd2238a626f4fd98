// The values of a scan: the digit counts of a set that is sorted, or a buffer.

#include "lib/scan.glsl"

#ifdef particles_count
// Digits of a pass.
layout(constant_id = 0) const uint DIGITS = 256u;

uint scan_length() {
    return DIGITS * ((particles_held_count + (TILE - 1u)) / TILE);
}
#else
uint scan_length() {
    return summands_length;
}
#endif

void load_tile(uint tile, out uint values[TILE_ITEMS]) {
    uint first = tile * TILE + tile_first(), length = scan_length();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        values[k] = i < length ? summands(i) : 0u;
    }
}

// Workgroups past the last tile have nothing to do.
bool has_tile(uint tile) {
    uint length = scan_length();
    return length > 0u && tile <= (length - 1u) / TILE;
}

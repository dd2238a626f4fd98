// What a scan runs over: the digit counts of a set that is sorted, or a buffer.

#include "lib/scan.glsl"

#ifdef sg_digits
// Digits of a pass.
layout(constant_id = 0) const uint DIGITS = 256u;

uint sg_scan_length() {
    return DIGITS * ((sg_count + (TILE - 1u)) / TILE);
}

#define sg_values sg_digits
#else
uint sg_scan_length() {
    return sg_values_length;
}
#endif

// The accessors have names from the pipeline file, which those of variables could hide.
uint sg_scan_value(uint sg_i) {
    return sg_values(sg_i);
}

void sg_load_tile(uint tile, out uint values[TILE_ITEMS]) {
    uint first = tile * TILE + tile_first(), length = sg_scan_length();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        values[k] = i < length ? sg_scan_value(i) : 0u;
    }
}

// Workgroups past the last tile have nothing to do.
bool sg_has_tile(uint tile) {
    uint length = sg_scan_length();
    return length > 0u && tile <= (length - 1u) / TILE;
}

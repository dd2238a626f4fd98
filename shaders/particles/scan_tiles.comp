#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "particles/scan_values.glsl"

// The prefix sums of every tile, from the sum of the tiles before it.
void main() {
    stage_begin();
    uint tile = tile_number();
    if (!has_tile(tile)) {
        return;
    }
    uint values[TILE_ITEMS], total;
    load_tile(tile, values);
    scan_tile(values, total);
    uint before = sums(1u + tile), first = tile * TILE + tile_first(), length = scan_length();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        if (i < length) {
            set_scanned(i, before + values[k]);
        }
    }
#ifndef particles_count
    // A longer target takes the sum of all as well.
    if (tile == 0u && tile_lane() == 0u && scanned_length > length) {
        set_scanned(length, sums(0u));
    }
#endif
}

#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "particles/scan_values.glsl"

void sg_put(uint sg_i, uint sg_sum) {
    sg_set_scanned(sg_i, sg_sum);
}

// The prefix sums of every tile, from the sum of those before it.
void main() {
    stage_begin();
    uint tile = tile_number();
    if (!sg_has_tile(tile)) {
        return;
    }
    uint values[TILE_ITEMS], total;
    sg_load_tile(tile, values);
    scan_tile(values, total);
    uint before = sg_sums(1u + tile), first = tile * TILE + tile_first(), length = sg_scan_length();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        if (i < length) {
            sg_put(i, before + values[k]);
        }
    }
#ifdef sg_scanned_length
    // A longer target takes the sum of all as well.
    if (tile == 0u && tile_lane() == 0u && sg_scanned_length > length) {
        sg_put(length, sg_sums(0u));
    }
#endif
}

#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "particles/scan_values.glsl"

// The sum of every tile.
void main() {
    stage_begin();
    uint tile = tile_number();
    if (!has_tile(tile)) {
        return;
    }
    uint values[TILE_ITEMS], sum = 0u, total;
    load_tile(tile, values);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        sum += values[k];
    }
    scan_subgroups(subgroupAdd(sum), total);
    if (tile_lane() == 0u) {
        set_sums(1u + tile, total);
    }
}

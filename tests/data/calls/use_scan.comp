#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "stage.glsl"
#include "lib/scan.glsl"

void stage(uvec3 group, uint local) {
    uint first = group.x * TILE + tile_first(), values[TILE_ITEMS], total;
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        values[k] = keys(first + k * gl_SubgroupSize);
    }
    scan_tile(values, total);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        set_starts(first + k * gl_SubgroupSize, values[k]);
    }
}

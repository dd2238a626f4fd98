#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "stage.glsl"
#include "lib/compact.glsl"

void stage(uvec3 group, uint local) {
    uint first = group.x * TILE + tile_first(), keep = 0u, total;
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        keep |= uint(keys(first + k * gl_SubgroupSize) != 0u) << k;
    }
    uint at = group.x * TILE + compact_tile(keep, total);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint place = compact_place(keep, k, at);
        if ((keep >> k & 1u) != 0u) {
            set_kept(place, first + k * gl_SubgroupSize);
        }
    }
}

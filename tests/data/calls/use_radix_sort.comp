#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "stage.glsl"

const uint DIGIT_BITS = 6u;
uint digit_of(uint value) { return value & 63u; }
#include "lib/radix_sort.glsl"

void stage(uvec3 group, uint local) {
    uint first = group.x * TILE + tile_first(), values[TILE_ITEMS], places[TILE_ITEMS];
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        values[k] = keys(first + k * gl_SubgroupSize);
    }
    radix_places(values, places);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        set_kept(group.x * TILE + places[k], values[k]);
    }
}

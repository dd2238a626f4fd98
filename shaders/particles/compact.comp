#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define OWN_MAIN
#include "stage.glsl"
#include "lib/compact.glsl"

// Lists the particles that stay, in their order.
void main() {
    stage_begin();
    uint tile = tile_number(), count = particles_held_count;
    if (tile > (count - 1u) / TILE || count == 0u) {
        return;
    }
    uint first = tile * TILE + tile_first(), keep = 0u;
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        if (i < count) {
            keep |= uint(dead(sg_particles_held_at(i)) == 0u) << k;
        }
    }
    uint total;
    uint at = sums(1u + tile) + compact_tile(keep, total);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint place = compact_place(keep, k, at);
        if ((keep >> k & 1u) != 0u) {
            set_order(sg_particles_held_at(place), sg_particles_held_at(first + k * gl_SubgroupSize));
        }
    }
}

#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "lib/scan.glsl"

// The number of particles of each tile that remain.
void main() {
    stage_begin();
    uint tile = tile_number(), count = particles_held_count;
    if (tile > (count - 1u) / TILE || count == 0u) {
        return;
    }
    uint first = tile * TILE + tile_first(), kept = 0u;
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        if (i < count) {
            kept += uint(dead(sg_particles_held_at(i)) == 0u);
        }
    }
    uint total;
    scan_subgroups(subgroupAdd(kept), total);
    if (tile_lane() == 0u) {
        set_sums(1u + tile, total);
    }
}

#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "lib/scan.glsl"

// Number of digit counts per tile of particles; 0 if the sums are over the particles themselves.
layout(constant_id = 0) const uint DIGITS = 0u;

uint sum_count() {
#ifdef particles_count
    uint tiles = particles_held_count / TILE + uint(particles_held_count % TILE != 0u);
    return DIGITS == 0u ? tiles : (DIGITS * tiles + (TILE - 1u)) / TILE;
#else
    return summands_length / TILE + uint(summands_length % TILE != 0u);
#endif
}

// Replaces the sums of tiles by their prefix sums, with the total in front. One workgroup processes the tiles of sums
// in order.
void main() {
    stage_begin();
    uint count = sum_count(), carry = 0u;
    for (uint base = 0u; base < count; base += TILE) {
        uint values[TILE_ITEMS], total;
        uint first = base + tile_first();
        for (uint k = 0u; k < TILE_ITEMS; k++) {
            uint i = first + k * gl_SubgroupSize;
            values[k] = i < count ? sums(1u + i) : 0u;
        }
        scan_tile(values, total);
        for (uint k = 0u; k < TILE_ITEMS; k++) {
            uint i = first + k * gl_SubgroupSize;
            if (i < count) {
                set_sums(1u + i, carry + values[k]);
            }
        }
        carry += total;
    }
    if (tile_lane() == 0u) {
        set_sums(0u, carry);
    }
}

#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define OWN_MAIN
#include "stage.glsl"
#include "lib/scan.glsl"
#include "particles/digit.glsl"

shared uint counts[1u << DIGIT_BITS];

// Counts each digit in each tile: the counts of digit 0 in all tiles, then of digit 1, ...
void main() {
    stage_begin();
    uint tile = tile_number(), count = particles_held_count, lane = tile_lane();
    if (count == 0u || tile > (count - 1u) / TILE) {
        return;
    }
    if (lane < 1u << DIGIT_BITS) {
        counts[lane] = 0u;
    }
    barrier();
    uint first = tile * TILE + tile_first();
    // All loads come before the first use, so that they overlap.
    uint keys[TILE_ITEMS];
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        keys[k] = keys_in(sg_particles_held_at(min(first + k * gl_SubgroupSize, count - 1u)));
    }
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        if (first + k * gl_SubgroupSize < count) {
            atomicAdd(counts[digit_of(keys[k])], 1u);
        }
    }
    barrier();
    if (lane < 1u << DIGIT_BITS) {
        uint tiles = (count - 1u) / TILE + 1u;
        set_digits(lane * tiles + tile, counts[lane]);
    }
}

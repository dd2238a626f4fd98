#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define OWN_MAIN
#include "stage.glsl"
#include "particles/digit.glsl"
#include "lib/radix_sort.glsl"

// Writes the keys of a tile and their source indices to their indices by digit, after ordering them in shared memory.
// The first pass reads particles in their current order; the last one does not write keys.
void main() {
    stage_begin();
    uint tile = tile_number(), count = particles_held_count, lane = tile_lane();
    if (count == 0u || tile > (count - 1u) / TILE) {
        return;
    }
    uint first = tile * TILE + tile_first(), here = min(TILE, count - tile * TILE);
    uint keys[TILE_ITEMS], places[TILE_ITEMS], names[TILE_ITEMS];
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint i = first + k * gl_SubgroupSize;
        // Pad with the largest key, so that padding is sorted after all values.
        uint key = keys_in(sg_particles_held_at(min(i, count - 1u)));
        keys[k] = i < count ? key : 0xffffffffu;
#ifdef order_in_length
        names[k] = order_in(sg_particles_held_at(min(i, count - 1u)));
#else
        names[k] = sg_particles_held_at(i);
#endif
    }
    radix_places(keys, places);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        radix_words[places[k]] = keys[k];
    }
    barrier();
    uint tiles = (count - 1u) / TILE + 1u;
    uint targets[TILE_ITEMS];
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint place = k * TILE_GROUP + lane;
        uint key = radix_words[place];
        uint digit = digit_of(key);
        if (place < here) {
            targets[k] = sg_particles_held_at(digits(digit * tiles + tile) + place - radix_starts[digit]);
#ifdef keys_out_length
            set_keys_out(targets[k], key);
#endif
        }
    }
    barrier();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        radix_words[places[k]] = names[k];
    }
    barrier();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint place = k * TILE_GROUP + lane;
        if (place < here) {
            set_order_out(targets[k], radix_words[place]);
        }
    }
}

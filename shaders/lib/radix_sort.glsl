// One pass of a stable radix sort, least significant digit first: the counts of the digits of a tile (see
// lib/scan.glsl), and the places of its values by digit. Values with the same digit are found by ballots (Ashkiani et
// al. 2016, "GPU Multisplit"), those of a tile are put in order in shared memory before they are written, so that
// writes lie together (Satish, Harris & Garland 2009, "Designing efficient sorting algorithms for manycore GPUs").
// Put the extensions GL_KHR_shader_subgroup_basic, _arithmetic, _ballot and _shuffle before the first include, and
// give DIGIT_BITS. CPU twin: tests/reference/radix_sort.rs.

#include "lib/scan.glsl"

// The smallest subgroup of the device: it says how much shared memory the counters take. The program sets it.
layout(constant_id = 1001) const uint sg_least_subgroup = 4u;

const uint DIGITS = 1u << DIGIT_BITS;
const uint ROW_WORDS = DIGITS / 2u;
// Rows of counters: one per subgroup, or where subgroups are small one for several, which take turns.
const uint LEAST_ROWS = TILE_GROUP / sg_least_subgroup;
const uint ROWS = LEAST_ROWS > 32u ? 32u : LEAST_ROWS;
const uint RADIX_WORDS = ROWS * ROW_WORDS > TILE ? ROWS * ROW_WORDS : TILE;

// First the rows, two counters of 16 bits in a word (a tile has fewer values than that); then values by their places.
shared uint radix_words[RADIX_WORDS];
// Per digit, the place in the tile of its first value.
shared uint radix_starts[DIGITS];

// How many subgroups share a row.
uint radix_turns() {
    return (gl_NumSubgroups + ROWS - 1u) / ROWS;
}

// How many values of the row before this one have its digit: the counter of the row, which it moves on. To be called
// for the values of an invocation in turn, by all invocations of a subgroup.
uint radix_rank(uint row, uint digit) {
    uvec4 peers = subgroupBallot(true);
    for (uint b = 0u; b < DIGIT_BITS; b++) {
        bool one = (digit >> b & 1u) != 0u;
        uvec4 votes = subgroupBallot(one);
        peers &= one ? votes : ~votes;
    }
    uint before = subgroupBallotExclusiveBitCount(peers);
    uint shift = (digit & 1u) * 16u;
    uint counter = 0u;
    if (before == 0u) {
        counter = atomicAdd(radix_words[row * ROW_WORDS + (digit >> 1u)], subgroupBallotBitCount(peers) << shift);
    }
    uint first = subgroupShuffle(counter, subgroupBallotFindLSB(peers));
    // The next value of another invocation may have this digit.
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    return (first >> shift & 0xffffu) + before;
}

// Makes every row the counts in the rows before it, and `radix_starts` the starts of the digits.
void radix_scan_rows() {
    uint lane = tile_lane();
    for (uint word = lane; word < ROW_WORDS; word += TILE_GROUP) {
        uint sums = 0u;
        for (uint row = 0u; row < ROWS; row++) {
            uint counts = radix_words[row * ROW_WORDS + word];
            radix_words[row * ROW_WORDS + word] = sums;
            sums += counts;
        }
        radix_starts[2u * word] = sums & 0xffffu;
        radix_starts[2u * word + 1u] = sums >> 16u;
    }
    barrier();
    uint count = lane < DIGITS ? radix_starts[lane] : 0u;
    uint before = subgroupExclusiveAdd(count);
    uint total;
    before += scan_subgroups(subgroupAdd(count), total);
    if (lane < DIGITS) {
        radix_starts[lane] = before;
    }
    barrier();
}

// The places in the tile of values with these digits, in their order. Afterwards `radix_words` is free for use.
void radix_places(uint digits[TILE_ITEMS], out uint places[TILE_ITEMS]) {
    for (uint word = tile_lane(); word < ROWS * ROW_WORDS; word += TILE_GROUP) {
        radix_words[word] = 0u;
    }
    barrier();
    uint turns = radix_turns(), row = gl_SubgroupID / turns;
    for (uint turn = 0u; turn < turns; turn++) {
        if (gl_SubgroupID % turns == turn) {
            for (uint k = 0u; k < TILE_ITEMS; k++) {
                places[k] = radix_rank(row, digits[k]);
            }
        }
        barrier();
    }
    radix_scan_rows();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint counts = radix_words[row * ROW_WORDS + (digits[k] >> 1u)];
        places[k] += radix_starts[digits[k]] + (counts >> ((digits[k] & 1u) * 16u) & 0xffffu);
    }
    barrier();
}

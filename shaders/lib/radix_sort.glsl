// One pass of a stable radix sort, least significant digit first: the counts of the digits of a tile (see
// lib/scan.glsl), and the indices of its values by digit. Ballots find values with equal digits (Ashkiani et al.
// 2016, "GPU Multisplit"); the values of a tile are ordered in shared memory before they are written, so that writes
// are adjacent (Satish, Harris & Garland 2009, "Designing efficient sorting algorithms for manycore GPUs"). Put the
// extensions GL_KHR_shader_subgroup_basic, _vote, _arithmetic, _ballot and _shuffle before the first include, and give
// DIGIT_BITS and `uint digit_of(uint value)`. CPU twin: tests/reference/radix_sort.rs.

#include "lib/scan.glsl"

// The smallest subgroup of the device, which determines the shared memory of the counters. The program sets it.
layout(constant_id = 1001) const uint sg_least_subgroup = 4u;

const uint DIGITS = 1u << DIGIT_BITS;
const uint ROW_WORDS = DIGITS / 2u;
// Rows of counters: one per subgroup, or one for several small subgroups, which use it in turn.
const uint MIN_ROWS = TILE_GROUP / sg_least_subgroup;
const uint ROWS = MIN_ROWS > 32u ? 32u : MIN_ROWS;
const uint RADIX_WORDS = ROWS * ROW_WORDS > TILE ? ROWS * ROW_WORDS : TILE;

// First the rows, two counters of 16 bits in a word (a tile has fewer values than that); then values by their places.
shared uint radix_words[RADIX_WORDS];
// Per digit, the place in the tile of its first value.
shared uint radix_starts[DIGITS];

// Number of subgroups that share a row.
uint radix_turns() {
    return (gl_NumSubgroups + ROWS - 1u) / ROWS;
}

// Invocations of the subgroup with this digit: the number before this one, their total number, and the first of them.
// Subgroups of up to 32 need one word of each ballot.
uvec3 radix_peers(uint digit) {
    if (gl_SubgroupSize <= 32u) {
        uint peers = subgroupBallot(true).x;
        for (uint b = 0u; b < DIGIT_BITS; b++) {
            bool one = (digit >> b & 1u) != 0u;
            peers &= subgroupBallot(one).x ^ (one ? 0u : 0xffffffffu);
        }
        return uvec3(bitCount(peers & gl_SubgroupLtMask.x), bitCount(peers), findLSB(peers));
    }
    uvec4 peers = subgroupBallot(true);
    for (uint b = 0u; b < DIGIT_BITS; b++) {
        bool one = (digit >> b & 1u) != 0u;
        peers &= subgroupBallot(one) ^ uvec4(one ? 0u : 0xffffffffu);
    }
    uint before = subgroupBallotExclusiveBitCount(peers);
    return uvec3(before, subgroupBallotBitCount(peers), subgroupBallotFindLSB(peers));
}

// Ranks the values of a subgroup: counts the earlier values of the row with an equal digit, and advances the
// counters of the row. All invocations of a subgroup must call it.
void radix_ranks(uint row, uint values[TILE_ITEMS], out uint ranks[TILE_ITEMS]) {
    // Three loops, so that each waits once for all its ballots, atomics or shuffles.
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uvec3 peers = radix_peers(digit_of(values[k]));
        ranks[k] = peers.x | peers.y << 8 | peers.z << 16;
    }
    uint counters[TILE_ITEMS];
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint digit = digit_of(values[k]);
        uint peers = ranks[k] >> 8 & 255u;
        bool leads = (ranks[k] & 255u) == 0u;
        counters[k] = 0u;
        // Someone leads always: the vote keeps invocations from running ahead of others, which count earlier values. (A
        // barrier of the subgroup would do that too, but with memory semantics it waits for each atomic, and some
        // drivers make one of the workgroup of it.)
        if (subgroupAny(leads) && leads) {
            uint word = row * ROW_WORDS + (digit >> 1u);
            counters[k] = atomicAdd(radix_words[word], peers << (digit & 1u) * 16u);
        }
    }
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint first = subgroupShuffle(counters[k], ranks[k] >> 16);
        uint shift = (digit_of(values[k]) & 1u) * 16u;
        ranks[k] = (first >> shift & 0xffffu) + (ranks[k] & 255u);
    }
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

// The indices of the values in the tile by digit. Afterwards `radix_words` may be used otherwise.
void radix_places(uint values[TILE_ITEMS], out uint places[TILE_ITEMS]) {
    for (uint word = tile_lane(); word < ROWS * ROW_WORDS; word += TILE_GROUP) {
        radix_words[word] = 0u;
    }
    barrier();
    uint turns = radix_turns(), row = gl_SubgroupID / turns;
    for (uint turn = 0u; turn < turns; turn++) {
        if (gl_SubgroupID % turns == turn) {
            radix_ranks(row, values, places);
        }
        barrier();
    }
    radix_scan_rows();
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint digit = digit_of(values[k]);
        uint counts = radix_words[row * ROW_WORDS + (digit >> 1u)];
        places[k] += radix_starts[digit] + (counts >> ((digit & 1u) * 16u) & 0xffffu);
    }
    barrier();
}

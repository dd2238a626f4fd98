// Stable compaction: the places of those values of a tile (see lib/scan.glsl) that are kept, in their order. Put the
// extensions GL_KHR_shader_subgroup_basic, _arithmetic and _ballot before the first include. CPU twin:
// tests/reference/compact.rs.

#include "lib/scan.glsl"

// How many values of the tile are kept; bit k of `keep` tells of value k of this invocation. The result is the number
// of those before this subgroup.
uint compact_tile(uint keep, out uint total) {
    return scan_subgroups(subgroupAdd(bitCount(keep)), total);
}

// The place of value k of this invocation if it is kept, where `at` values are kept before those k of the subgroup;
// moves `at` on. To be called for k = 0, 1, ... in turn, by all invocations of a subgroup.
uint compact_place(uint keep, uint k, inout uint at) {
    uvec4 votes = subgroupBallot((keep >> k & 1u) != 0u);
    uint place = at + subgroupBallotExclusiveBitCount(votes);
    at += subgroupBallotBitCount(votes);
    return place;
}

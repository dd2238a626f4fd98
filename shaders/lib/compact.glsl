// Stable compaction: the indices of the values of a tile (see lib/scan.glsl) that are kept, in order. Put the
// extensions GL_KHR_shader_subgroup_basic, _arithmetic and _ballot before the first include. CPU twin:
// tests/reference/compact.rs.

#include "lib/scan.glsl"

// Counts the values of the tile that are kept; bit k of `keep` says whether value k of this invocation is. Returns the
// number of kept values before this subgroup.
uint compact_tile(uint keep, out uint total) {
    return scan_subgroups(subgroupAdd(bitCount(keep)), total);
}

// The index of value k of this invocation if it is kept; `at` is the number of kept values before the values k of the
// subgroup, and advances. All invocations of a subgroup must call it for k = 0, 1, ... in order.
uint compact_place(uint keep, uint k, inout uint at) {
    uvec4 votes = subgroupBallot((keep >> k & 1u) != 0u);
    uint place = at + subgroupBallotExclusiveBitCount(votes);
    at += subgroupBallotBitCount(votes);
    return place;
}

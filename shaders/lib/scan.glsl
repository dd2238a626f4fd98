// Exclusive prefix sums of uints over a tile of TILE values, by a workgroup of TILE_GROUP invocations in one row. Every
// invocation must call functions with barriers, from uniform control flow. Subgroups may have any size from 4 to 128;
// workgroups do not wait for each other. The method is reduce-then-scan (Merrill & Garland 2016, "Single-pass Parallel
// Prefix Scan with Decoupled Look-back", section 2.3; the look-back itself is not guaranteed to end on every device).
// Put the extensions GL_KHR_shader_subgroup_basic and _arithmetic before the first include. CPU twin:
// tests/reference/scan.rs.

#ifndef SCAN_GLSL
#define SCAN_GLSL

// TILE_GROUP, TILE_ITEMS values of one invocation (not consecutive ones, so that neighbours read neighbours), and TILE.
#include "engine/scan.glsl"

// One per subgroup.
shared uint scan_parts[TILE_GROUP / 4u];

// Number of this workgroup; groups of a list are spread over x and y.
uint tile_number() {
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// Number of this invocation in its workgroup, such that subgroups hold consecutive ones.
uint tile_lane() {
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Index in the tile of the first value of this invocation; the others follow with the stride of the subgroup size. The
// values of a subgroup are contiguous in the tile.
uint tile_first() {
    return gl_SubgroupID * gl_SubgroupSize * TILE_ITEMS + gl_SubgroupInvocationID;
}

// The sum of `part` over the subgroups before this one; `part` and the result are uniform in a subgroup.
uint scan_subgroups(uint part, out uint total) {
    if (subgroupElect()) {
        scan_parts[gl_SubgroupID] = part;
    }
    barrier();
    uint before = 0u;
    total = 0u;
    for (uint base = 0u; base < gl_NumSubgroups; base += gl_SubgroupSize) {
        uint other = base + gl_SubgroupInvocationID;
        uint value = other < gl_NumSubgroups ? scan_parts[other] : 0u;
        before += subgroupAdd(other < gl_SubgroupID ? value : 0u);
        total += subgroupAdd(value);
    }
    barrier();  // nobody may start the next scan while others still read the parts of this one
    return before;
}

// Replaces the values of a tile by their exclusive prefix sums; `total` is the sum of all.
void scan_tile(inout uint values[TILE_ITEMS], out uint total) {
    uint sum = 0u;
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        uint before = subgroupExclusiveAdd(values[k]);
        uint row = subgroupAdd(values[k]);
        values[k] = sum + before;
        sum += row;
    }
    uint before = scan_subgroups(sum, total);
    for (uint k = 0u; k < TILE_ITEMS; k++) {
        values[k] += before;
    }
}

#endif

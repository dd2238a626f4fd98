uint sg_mixed(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
// A permutation of the workgroups: a Feistel network over the next power of four, repeated until it hits one of them.
uvec3 sg_shuffled_group() {
    uvec3 groups = gl_NumWorkGroups;
    uint count = groups.x * groups.y * groups.z;
    uint i = (gl_WorkGroupID.z * groups.y + gl_WorkGroupID.y) * groups.x + gl_WorkGroupID.x;
    if (count > 1u) {
        int bits = (findMSB(count - 1u) + 2) / 2;
        uint mask = (1u << bits) - 1u;
        do {
            uint low = i & mask, high = i >> bits;
            for (uint turn = 0u; turn < 4u; ++turn) {
                uint next = high ^ (sg_mixed(low ^ sg_mixed(arg.sg_shuffle_seed + turn)) & mask);
                high = low;
                low = next;
            }
            i = high << bits | low;
        } while (i >= count);
    }
    return uvec3(i % groups.x, i / groups.x % groups.y, i / groups.x / groups.y);
}
// Everything after this sees the shuffled workgroup.
#define gl_WorkGroupID sg_shuffled_group()
#define gl_GlobalInvocationID (sg_shuffled_group() * gl_WorkGroupSize + gl_LocalInvocationID)

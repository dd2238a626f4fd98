// A workgroup is in one block: it shares the addresses of the 27 blocks in and around it (0 for those not active),
// where the device's shared memory is worth it.
shared uint64_t sg_@_around[27];
void sg_@_share_around() {
    if (!sg_@_shares) return;
    for (uint n = gl_LocalInvocationIndex; n < 27u; n += gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z) {
        ivec3 way = ivec3(n % 3u, n / 3u % 3u, n / 9u) - 1;
        sg_@_around[n] = sg_@_beside(sg_@_here + way, int(n));
    }
    barrier();
}
uint64_t sg_@_find(ivec3 cell) {
    ivec3 block = @_block(cell);
    ivec3 way = block - sg_@_here;
    if (any(greaterThan(abs(way), ivec3(1)))) return sg_@_lookup(block);
    int n = 13 + way.x + 3 * way.y + 9 * way.z;
    return sg_@_shares ? sg_@_around[n] : sg_@_beside(block, n);
}
// Enters active sub-block `i`, with all invocations of the workgroup: its first cell.
ivec3 @_enter_sub_block(uint i) {
    sg_@_enter(i >> sg_@_sub_bits());
    sg_@_share_around();
    return sg_@_corner(i & ((1u << sg_@_sub_bits()) - 1u));
}

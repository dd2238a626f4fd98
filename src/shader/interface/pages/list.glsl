uint @_active_count() { return sg_p_@_pages.at[1]; }
uint sg_@_sub_bits() { return uint(sg_@_b0 + sg_@_b1 + sg_@_b2 - sg_@_u0 - sg_@_u1 - sg_@_u2); }
uint @_sub_blocks() { return @_active_count() << sg_@_sub_bits(); }
// The number of the block of an entry of the list of active blocks, without the mark of those whose neighbours are active.
uint sg_@_listed(uint entry) { return sg_p_@_list.at[entry] & ~sg_outside; }
// The first cell of an entry of the list of active blocks.
ivec3 sg_@_block_corner(uint entry) { return sg_@_block_at(sg_@_listed(entry)) << sg_@_b; }
// One axis of a sub-block: bit k stands behind the k lower bits of each axis that has them, and behind
// bit k of those before it.
int sg_@_gather(uint sub, int bits, int first, int second, int before_first, int before_second) {
    int gathered = 0;
    for (int k = 0; k < bits; k++) {
        int at = k + min(first, k + before_first) + min(second, k + before_second);
        gathered |= int(sub >> at & 1u) << k;
    }
    return gathered;
}
// The first cell of a sub-block of a block.
ivec3 sg_@_corner(ivec3 block_corner, uint sub) {
    const int x = sg_@_b0 - sg_@_u0, y = sg_@_b1 - sg_@_u1, z = sg_@_b2 - sg_@_u2;
    ivec3 at = ivec3(sg_@_gather(sub, x, y, z, 0, 0), sg_@_gather(sub, y, x, z, 1, 0), sg_@_gather(sub, z, x, y, 1, 1));
    return block_corner + (at << sg_@_u);
}
// The first cell of active sub-block `i`.
ivec3 @_sub_block(uint i) {
    return sg_@_corner(sg_@_block_corner(i >> sg_@_sub_bits()), i & ((1u << sg_@_sub_bits()) - 1u));
}

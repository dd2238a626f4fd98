// The block that the invocation is in, its address, and the active blocks around it.
ivec3 sg_@_here;
uint64_t sg_@_here_address;
uint sg_@_near;
void sg_@_enter(uint entry) {
    uint number = sg_p_@_list.at[entry];
    sg_@_here = sg_@_block_at(number);
    sg_@_here_address = sg_@_page(sg_@_in_table ? sg_p_@_table.at[number] : number);
    sg_@_near = sg_p_@_near.at[entry];
}
uint @_active_count() { return sg_p_@_pages.at[1]; }
uint sg_@_sub_bits() { return uint(sg_@_b0 + sg_@_b1 + sg_@_b2 - sg_@_u0 - sg_@_u1 - sg_@_u2); }
uint @_sub_blocks() { return @_active_count() << sg_@_sub_bits(); }
// One axis of a sub-block: the inverse of sg_@_spread.
int sg_@_gather(uint sub, int bits, int first, int second, int before_first, int before_second) {
    int gathered = 0;
    for (int k = 0; k < bits; k++) {
        int at = k + min(first, k + before_first) + min(second, k + before_second);
        gathered |= int(sub >> at & 1u) << k;
    }
    return gathered;
}
// The first cell of a sub-block of the block.
ivec3 sg_@_corner(uint sub) {
    const int x = sg_@_b0 - sg_@_u0, y = sg_@_b1 - sg_@_u1, z = sg_@_b2 - sg_@_u2;
    ivec3 at = ivec3(sg_@_gather(sub, x, y, z, 0, 0), sg_@_gather(sub, y, x, z, 1, 0), sg_@_gather(sub, z, x, y, 1, 1));
    return (sg_@_here << sg_@_b) + (at << sg_@_u);
}
// The address of a block near the own one (bit `n` of the mask): a look-up in the table, where there is one.
uint64_t sg_@_beside(ivec3 block, int n) {
    if (n == 13) return sg_@_here_address;
    if ((sg_@_near >> n & 1u) == 0u) return 0ul;
    uint number = sg_@_number(block);
    return sg_@_page(sg_@_in_table ? sg_p_@_table.at[number] : number);
}

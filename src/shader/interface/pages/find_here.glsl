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
// Enters active sub-block `i`: its first cell.
ivec3 @_enter_sub_block(uint i) {
    uint bits = uint(sg_@_b0 + sg_@_b1 + sg_@_b2 - sg_@_u0 - sg_@_u1 - sg_@_u2);
    sg_@_enter(i >> bits);
    ivec3 sub = ivec3(sg_unmorton(i & ((1u << bits) - 1u), uvec3(sg_@_b - sg_@_u)));
    return (sg_@_here << sg_@_b) + (sub << sg_@_u);
}
uint @_active_count() { return sg_p_@_pages.at[1]; }
uint @_sub_blocks() {
    return @_active_count() << (sg_@_b0 + sg_@_b1 + sg_@_b2 - sg_@_u0 - sg_@_u1 - sg_@_u2);
}
// Nothing is looked up for the invocation's own block, nor to know whether one next to it is active.
uint64_t sg_@_find(ivec3 cell) {
    ivec3 block = @_block(cell);
    ivec3 way = block - sg_@_here;
    if (way == ivec3(0)) return sg_@_here_address;
    if (any(greaterThan(abs(way), ivec3(1)))) return sg_@_lookup(block);
    if ((sg_@_near >> (13 + way.x + 3 * way.y + 9 * way.z) & 1u) == 0u) return 0ul;
    uint number = sg_@_number(block);
    return sg_@_page(sg_@_in_table ? sg_p_@_table.at[number] : number);
}

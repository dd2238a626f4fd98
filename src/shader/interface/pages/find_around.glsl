// Nothing is looked up for the invocation's own block, nor to know whether one next to it is active.
uint64_t sg_@_find(ivec3 cell) {
    ivec3 block = @_block(cell);
    ivec3 way = block - sg_@_here;
    if (any(greaterThan(abs(way), ivec3(1)))) return sg_@_lookup(block);
    return sg_@_beside(block, 13 + way.x + 3 * way.y + 9 * way.z);
}
// Enters active sub-block `i`: its first cell.
ivec3 @_enter_sub_block(uint i) {
    sg_@_enter(i >> sg_@_sub_bits());
    return sg_@_corner(i & ((1u << sg_@_sub_bits()) - 1u));
}

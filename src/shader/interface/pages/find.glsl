// The address of a block by its number, 0 where it is not active. Without branches, so that the loads of a stencil
// overlap.
uint64_t sg_@_find(uint number) {
    uint inside = number & ~sg_outside;
    uint page = sg_@_in_table ? sg_p_@_table.at[inside] : inside;
    bool found = sg_@_in_table ? page != sg_no_page : (sg_p_@_active.at[inside >> 5] >> (inside & 31u) & 1u) != 0u;
    uint64_t address = sg_base_@ + uint64_t(page) * sg_@_bytes;
    return found && inside == number ? address : 0ul;
}
// Where a channel with `before` bytes of others before it in each cell, and `bytes` of its own, has an element.
uint64_t sg_@_at(uint64_t block, uint before, uint place, uint bytes) {
    return (block + place * bytes) + (uint64_t(before) << (sg_@_b0 + sg_@_b1 + sg_@_b2));
}
// Whether the block of a cell is active; false outside the grid.
bool @_is_active(ivec3 cell) { return sg_@_find(sg_@_where(cell).x) != 0ul; }

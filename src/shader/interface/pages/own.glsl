// The own cell: the address of its block, the number of the block and the place in it.
uint64_t sg_own_block;
uvec2 sg_own_place;
// All blocks around the own one, in a grid with sparse residency, are active or outside the grid: the addresses of their
// cells follow from the numbers of the blocks.
bool sg_own_surrounded = false;
uint64_t sg_@_page(uint page) { return sg_base_@ + uint64_t(page) * sg_@_bytes; }
void sg_@_enter(uint entry) {
    uint listed = sg_p_@_list.at[entry], number = listed & ~sg_outside;
    sg_own_place.x = number;
    sg_own_block = sg_@_page(sg_@_in_table ? sg_p_@_table.at[number] : number);
    sg_own_surrounded = listed != number && !sg_@_in_table && !sg_checked;
}
// True if the blocks of all cells up to `reach` cells from the own one are active.
bool sg_@_is_near(int reach) {
    return sg_own_surrounded && reach <= 1 << min(sg_@_b0, min(sg_@_b1, sg_@_b2));
}
// The address of an element near the own cell, if sg_@_is_near. A cell outside the grid, which is a fault in checked runs,
// becomes the nearest one inside, so no access leaves the memory. Offsets have 32 bits where all of the grid's do: a
// stencil has so many of them that a few operations more would decide its time.
uint64_t sg_@_near(ivec3 cell, uint before, uint bytes) {
    cell = clamp(cell, ivec3(0), @_cells - 1);
    uint64_t channel = sg_base_@ + (uint64_t(before) << (sg_@_b0 + sg_@_b1 + sg_@_b2));
    bool far = sg_@_bytes > 0xffffffffu >> (sg_@_k0 + sg_@_k1 + sg_@_k2);
    if (!far && bytes == 4u) return channel + sg_@_word_offset(cell);
    uvec2 part = sg_@_parts(cell);
    if (far) return channel + uint64_t(part.x) * sg_@_bytes + part.y * bytes;
    return channel + (part.x * sg_@_bytes + part.y * bytes);
}
// As sg_@_find, for the block of a cell up to `reach` cells from the own one.
uint64_t sg_@_find_near(uint number, int reach) {
    if (sg_@_is_near(reach)) return (number & sg_outside) == 0u ? sg_@_page(number) : 0ul;
    return sg_@_find(number);
}

// All blocks around that of a known cell, in a grid with sparse residency, are active or outside the grid: the addresses of
// cells near it follow from the numbers of their blocks.
bool sg_@_surrounded = false;
// True if cells up to `reach` cells from a cell are in its block or in those around it, and the addresses of active ones
// follow from their numbers.
bool sg_@_is_near(int reach) {
    return !sg_checked && !sg_@_in_table && reach <= 1 << min(sg_@_b0, min(sg_@_b1, sg_@_b2));
}
// The address of an element up to `reach` cells from the own one, if sg_@_is_near. A cell outside the grid, which is a
// fault in checked runs, becomes the nearest one inside, so no access leaves the memory. Offsets of words are in tables, also
// beyond the sides of the grid, and have 32 bits where all of them do: a stencil has so many that a few operations more
// would decide its time.
uint64_t sg_@_near(ivec3 cell, int reach, uint before, uint bytes) {
    uint64_t channel = sg_base_@ + (uint64_t(before) << (sg_@_b0 + sg_@_b1 + sg_@_b2));
    bool far = sg_@_bytes > 0xffffffffu >> (sg_@_k0 + sg_@_k1 + sg_@_k2);
    if (bytes != 4u || reach > sg_margin) cell = clamp(cell, ivec3(0), @_cells - 1);
    if (bytes == 4u) return channel + sg_@_word_offset(cell, far);
    uvec2 part = sg_@_parts(cell);
    if (far) return channel + uint64_t(part.x) * sg_@_bytes + part.y * bytes;
    return channel + (part.x * sg_@_bytes + part.y * bytes);
}

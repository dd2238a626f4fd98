// The place of a cell in its block: sub-blocks in Morton order, cells of one by rows. Each axis adds bits of its own,
// so that compilers compute those once that the accesses of a stencil have in common. Bit k of an axis stands behind
// the k lower bits of each axis that has them, and behind bit k of those before it.
uint sg_@_spread(int sub, int bits, int first, int second, int before_first, int before_second) {
    uint spread = 0u;
    for (int k = 0; k < bits; k++) {
        int at = k + min(first, k + before_first) + min(second, k + before_second);
        spread |= uint(sub >> k & 1) << at;
    }
    return spread;
}
uint sg_@_place(ivec3 cell) {
    const int x = sg_@_b0 - sg_@_u0, y = sg_@_b1 - sg_@_u1, z = sg_@_b2 - sg_@_u2;
    ivec3 sub = (cell & (@_block_cells - 1)) >> sg_@_u;
    ivec3 low = cell & (@_sub_cells - 1);
    uint of_x = sg_@_spread(sub.x, x, y, z, 0, 0) << (sg_@_u0 + sg_@_u1 + sg_@_u2) | uint(low.x);
    uint of_y = sg_@_spread(sub.y, y, x, z, 1, 0) << (sg_@_u0 + sg_@_u1 + sg_@_u2) | uint(low.y << sg_@_u0);
    uint of_z = sg_@_spread(sub.z, z, x, y, 1, 1) << (sg_@_u0 + sg_@_u1 + sg_@_u2) | uint(low.z << (sg_@_u0 + sg_@_u1));
    return of_x | of_y | of_z;
}
uint64_t sg_@_at(uint64_t block, uint before, ivec3 cell, uint bytes) {
    return block + ((before << (sg_@_b0 + sg_@_b1 + sg_@_b2)) + sg_@_place(cell) * bytes);
}
// Whether the block of a cell is active; false outside the grid.
bool @_is_active(ivec3 cell) {
    // The last blocks may stand out of the grid.
    return all(lessThan(uvec3(cell), uvec3(@_cells))) && sg_@_find(cell) != 0ul;
}

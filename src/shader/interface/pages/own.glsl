// The own cell: the address of its block, the number of the block and the place in it, the coordinates of the block, and
// which of those around it are missing: bit (x + 1) + 3 (y + 1) + 9 (z + 1) for the one at (x, y, z).
uint64_t sg_own_block;
uvec2 sg_own_place;
ivec3 sg_own_block_at;
uint sg_own_missing;
uint64_t sg_@_page(uint page) { return sg_base_@ + uint64_t(page) * sg_@_bytes; }
void sg_@_enter(uint entry) {
    uint listed = sg_p_@_list.at[entry], number = listed & ~sg_outside;
    sg_own_place.x = number;
    sg_own_block = sg_@_page(sg_@_in_table ? sg_p_@_table.at[number] : number);
    sg_own_block_at = sg_@_block_at(number);
    sg_own_missing = sg_p_@_table.at[@_table_length / 2u + number];
    sg_@_surrounded = listed != number && !sg_@_in_table && !sg_checked;
}
// True if the block of a cell in or next to the own block is active.
bool sg_@_is_active_near(ivec3 cell) {
    ivec3 way = (cell >> sg_@_b) - sg_own_block_at;
    return sg_@_surrounded || (sg_own_missing >> uint(13 + way.x + 3 * way.y + 9 * way.z) & 1u) == 0u;
}
// As sg_@_find, for the block of a cell up to `reach` cells from the own one.
uint64_t sg_@_find_near(uint number, int reach) {
    if (sg_@_surrounded && sg_@_is_near(reach)) return (number & sg_outside) == 0u ? sg_@_page(number) : 0ul;
    return sg_@_find(number);
}

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
// As sg_@_find, for the block of a cell up to `reach` cells from the own one.
uint64_t sg_@_find_near(uint number, int reach) {
    int shortest = 1 << min(sg_@_b0, min(sg_@_b1, sg_@_b2));
    if (sg_own_surrounded && reach <= shortest) return (number & sg_outside) == 0u ? sg_@_page(number) : 0ul;
    return sg_@_find(number);
}

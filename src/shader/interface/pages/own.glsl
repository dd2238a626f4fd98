// The own cell: the address of its block, the number of the block and the place in it.
uint64_t sg_own_block;
uvec2 sg_own_place;
void sg_@_enter(uint entry) {
    uint number = sg_p_@_list.at[entry];
    sg_own_place.x = number;
    sg_own_block = sg_@_find(number);
}

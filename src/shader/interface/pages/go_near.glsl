// True if all blocks around the block of a cell are active, in a grid with sparse residency. Accesses up to their reach
// from this cell then do not look for blocks, until the next call.
bool @_near(ivec3 cell) {
    uint number = sg_@_where(cell).x & ~sg_outside;
    sg_@_surrounded = !sg_checked && !sg_@_in_table && sg_p_@_table.at[@_table_length / 2u + number] == 0u;
    return sg_@_surrounded;
}

// The address of the block of a cell, 0 where it is not active. Without branches, so that the loads of a stencil
// overlap.
uint64_t sg_@_find(ivec3 cell) {
    ivec3 block = @_block(cell);
    uint number = sg_@_number(clamp(block, ivec3(0), @_blocks - 1));
    uint page = sg_@_in_table ? sg_p_@_table.at[number] : number;
    bool has = sg_@_has(block);
    bool found = sg_@_in_table ? page != sg_no_page : (sg_p_@_active.at[number >> 5] >> (number & 31u) & 1u) != 0u;
    uint64_t address = sg_base_@ + uint64_t(page) * sg_@_bytes;
    return found && has ? address : 0ul;
}

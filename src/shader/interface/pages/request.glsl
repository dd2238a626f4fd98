// Asks for a block, or the block of a cell; what lies outside the grid is ignored.
void request_@_block(ivec3 block) {
    if (!sg_@_has(block)) return;
    uint number = sg_@_number(block);
    uint bit = 1u << (number & 31u);
    // Most requests are repeats: look before the atomic.
    if ((sg_q_@_requests.at[number >> 5] & bit) == 0u) or_@_requests(number >> 5, bit);
}
void request_@(ivec3 cell) {
    // The last blocks may stand out of the grid.
    if (all(lessThan(uvec3(cell), uvec3(@_cells)))) request_@_block(@_block(cell));
}

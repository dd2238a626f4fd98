// Asks for the block of a cell, or for a block; what lies outside the grid is ignored.
void request_@(ivec3 cell) {
    uint number = sg_@_where(cell).x;
    if ((number & sg_outside) != 0u) return;
    uint bit = 1u << (number & 31u);
    // Most requests are repeats: look before the atomic.
    if ((sg_q_@_requests.at[number >> 5] & bit) == 0u) or_@_requests(number >> 5, bit);
}
void request_@_block(ivec3 block) { request_@(block << sg_@_b); }

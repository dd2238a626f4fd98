// The number of cells from the first of the part to a cell. The part may wrap around the ends of the grid.
ivec3 sg_@_from_part(ivec3 i) {
    ivec3 from = i - sg_low;
    return from + @_cells * ivec3(lessThan(from, ivec3(0)));
}
bool sg_@_is_in_part(ivec3 i) { return all(lessThan(sg_@_from_part(i), sg_part)); }
// Returns true for a block with cells of the part: the block begins in the part, or the part in the block.
bool sg_@_has_part(ivec3 corner) {
    ivec3 to = sg_low - corner;
    to += @_cells * ivec3(lessThan(to, ivec3(0)));
    ivec3 begins = ivec3(lessThan(sg_@_from_part(corner), sg_part)) + ivec3(lessThan(to, @_block_cells));
    return all(greaterThan(begins, ivec3(0)));
}

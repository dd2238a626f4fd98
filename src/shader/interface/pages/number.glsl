// What each coordinate of a cell adds to the number of its block (x; Morton order of blocks) and to its place in the
// block (y; Morton order of sub-blocks, rows inside them). The parts are in tables, cheaper than spreading bits, with one
// entry past both ends that is no block's.
ivec3 sg_@_entries(ivec3 cell) { return cell + ivec3(1, @_cells.x + 3, @_cells.x + @_cells.y + 5); }
uvec2 sg_@_parts(ivec3 cell) {
    sg_axis_tables tables = sg_axis_tables(uint64_t(sg_p_@_axes));
    ivec3 i = sg_@_entries(cell);
    return tables.at[i.x] | tables.at[i.y] | tables.at[i.z];
}
// The offset of a word from the first cell of its channel, from tables behind the others; they have pairs of words where
// some offsets are `far`, that is, have more than 32 bits. Up to sg_margin cells outside the grid, it is that of the
// nearest cell inside.
uint64_t sg_@_word_offset(ivec3 cell, bool far) {
    uint64_t tables = uint64_t(sg_p_@_axes) + 8ul * uint(@_cells.x + @_cells.y + @_cells.z + 6);
    ivec3 i = cell + ivec3(sg_margin, @_cells.x + 3 * sg_margin, @_cells.x + @_cells.y + 5 * sg_margin);
    if (far) {
        sg_axis_tables pairs = sg_axis_tables(tables);
        uvec2 x = pairs.at[i.x], y = pairs.at[i.y], z = pairs.at[i.z];
        return (uint64_t(x.y) << 32 | x.x) + (uint64_t(y.y) << 32 | y.x) + (uint64_t(z.y) << 32 | z.x);
    }
    sg_offset_tables offsets = sg_offset_tables(tables);
    return uint64_t(offsets.at[i.x] + offsets.at[i.y] + offsets.at[i.z]);
}
uvec2 sg_@_where(ivec3 cell) { return sg_@_parts(clamp(cell, ivec3(-1), @_cells)); }

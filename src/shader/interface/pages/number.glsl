// A block's number has bits of each axis, which stand in a small table: x, then y, then z.
uint sg_@_number(ivec3 block) {
    ivec3 blocks = @_blocks;
    return sg_p_@_axes.at[block.x] | sg_p_@_axes.at[blocks.x + block.y] | sg_p_@_axes.at[blocks.x + blocks.y + block.z];
}

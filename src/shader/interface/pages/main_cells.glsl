#ifndef OWN_MAIN
void stage(ivec3 i);
// The cells of the sub-blocks of a workgroup, from `first` on.
void sg_@_stages(uint entry, uint first) {
    ivec3 block_corner = sg_@_block_corner(entry);
    ivec3 within = ivec3(gl_LocalInvocationID) * ivec3(SG_WIDTH, 1, sg_march);
    for (uint sub = first; sub < first + (1u << sg_@_per_group); ++sub) {
        ivec3 i = sg_@_corner(block_corner, sub) + within;
        uint row = ((sub << sg_@_u2 | uint(within.z)) << sg_@_u1 | uint(within.y)) << sg_@_u0 | uint(within.x);
        if (i.x < @_cells.x && i.y < @_cells.y) {
            int last = min(i.z + sg_march, @_cells.z);
            for (int z = i.z; z < last; ++z) {
                sg_own_place.y = row + (uint(z - i.z) << (sg_@_u0 + sg_@_u1));
                CALL
            }
        }
    }
}

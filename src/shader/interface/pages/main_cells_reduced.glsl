#ifndef OWN_MAIN
void stage(ivec3 i);
// As without a reduction; cells beyond the grid give nothing, and every place of the active blocks has a value.
void sg_@_stages(uint entry, uint first) {
    ivec3 block_corner = sg_@_block_corner(entry);
    ivec3 within = ivec3(gl_LocalInvocationID) * ivec3(1, 1, sg_march);
    for (uint sub = first; sub < first + (1u << sg_@_per_group); ++sub) {
        ivec3 corner = sg_@_corner(block_corner, sub);
        uint64_t before = (uint64_t(entry) << sg_@_sub_bits() | sub) << (sg_@_u0 + sg_@_u1 + sg_@_u2);
        for (int z = within.z; z < within.z + sg_march; ++z) {
            ivec3 i = corner + ivec3(within.xy, z);
            sg_own_place.y = ((sub << sg_@_u2 | uint(z)) << sg_@_u1 | uint(within.y)) << sg_@_u0 | uint(within.x);
            sg_open();
            if (all(lessThan(i, @_cells))) CALL
            sg_keep(before + uint((z << sg_@_u1 | within.y) << sg_@_u0 | within.x));
        }
    }
}

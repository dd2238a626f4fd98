#ifndef OWN_MAIN
void stage(ivec3 i);
// A workgroup takes 2^sg_@_per_group sub-blocks of one block.
void main() {
    stage_begin();
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint part_bits = sg_@_sub_bits() - sg_@_per_group;
    if (group >> part_bits >= @_active_count()) return;
    sg_@_enter(group >> part_bits);
    ivec3 block_corner = sg_@_block_corner(group >> part_bits);
    uint first = (group & ((1u << part_bits) - 1u)) << sg_@_per_group;
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
#endif

#ifndef OWN_MAIN
void stage(ivec3 i);
// A workgroup takes 2^sg_@_per_group sub-blocks of one block.
void main() {
    stage_begin();
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint part_bits = sg_@_sub_bits() - sg_@_per_group;
    if (group >> part_bits >= @_active_count()) return;
    ivec3 block_corner = sg_@_block_corner(group >> part_bits);
    uint first = (group & ((1u << part_bits) - 1u)) << sg_@_per_group;
    ivec3 within = ivec3(gl_LocalInvocationID) * ivec3(1, 1, sg_march);
    for (uint sub = first; sub < first + (1u << sg_@_per_group); ++sub) {
        ivec3 i = sg_@_corner(block_corner, sub) + within;
        if (i.x < @_cells.x && i.y < @_cells.y) {
            int last = min(i.z + sg_march, @_cells.z);
            for (int z = i.z; z < last; ++z) CALL
        }
    }
}
#endif

// A workgroup takes 2^sg_@_per_group sub-blocks of one active block.
void main() {
    stage_begin();
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint part_bits = sg_@_sub_bits() - sg_@_per_group;
    uint entry = group >> part_bits;
    if (entry >= @_active_count()) return;
    ENTER
    uint first = (group & ((1u << part_bits) - 1u)) << sg_@_per_group;
    RUN
}
#endif

#ifndef OWN_MAIN
void stage(ivec3 i);
void main() {
    stage_begin();
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @_sub_blocks()) return;
    ivec3 i = @_enter_sub_block(group) + ivec3(gl_LocalInvocationID) * ivec3(1, 1, sg_march);
    if (i.x >= @_cells.x || i.y >= @_cells.y) return;
    int last = min(i.z + sg_march, @_cells.z);
    for (int z = i.z; z < last; ++z) stage(ivec3(i.xy, z));
}
#endif

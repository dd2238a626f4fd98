// The element that the stage function is called for; in kernels whose invocations cooperate, their workgroup.
uint sg_user;
sg_shadow_block sg_shadows;
uint64_t sg_dispatch;
void sg_begin_marks(uint of_groups) {
    sg_shadows = arg.sg_shadows;
    sg_dispatch = uint64_t(sg_shadows.dispatch.number) << 32;
    sg_user = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (gl_WorkGroupID == uvec3(0) && gl_LocalInvocationIndex == 0u) sg_shadows.dispatch.of_groups = of_groups;
}
// The words only grow during a dispatch, so a mark that would change nothing needs no atomic.
void sg_mark(uint64_t shadows, uint64_t held, uint64_t element, uint use) {
    if (shadows == 0ul || element >= held) return;
    sg_shadow shadow = sg_shadow(shadows + element * 48ul + use * 16u);
    uint64_t greatest = sg_dispatch | sg_user, least = sg_dispatch | ~sg_user;
    if (shadow.greatest < greatest) atomicMax(shadow.greatest, greatest);
    if (shadow.least < least) atomicMax(shadow.least, least);
}

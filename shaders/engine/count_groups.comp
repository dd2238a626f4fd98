#version 460
#include "stage.glsl"
#include "engine/device.glsl"

// The workgroups of the next stage. Groups of a list are spread over x and y, and its kernel ignores groups beyond the
// last word. Devices support at most MAX_GROUPS along an axis; more are a fault of kind 6.
uint within(uint asked, uint most) {
    if (sg_checked && asked > most) {
        sg_report(0u, 6u, ivec3(asked, 0, 0));
    }
    return min(asked, most);
}

void stage(uint i) {
#ifdef asked_length
    uint count = within(asked(0u), MAX_GROUPS * MAX_GROUPS);
    uint across = min(count, MAX_GROUPS);
    set_groups(0u, across);
    set_groups(1u, across == 0u ? 0u : (count - 1u) / across + 1u);
    set_groups(2u, 1u);
    set_groups(3u, count);
#else
    uvec3 count = asked_of_axes(0u);
    for (uint axis = 0u; axis < 3u; axis++) {
        set_groups(axis, within(count[axis], MAX_GROUPS));
    }
#endif
}

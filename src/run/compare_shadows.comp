#version 460
// Finds the first element with a race: one accessor writes it, or changes it with atomics, while another accesses it.
// Accesses by atomics alone do not race.
#include "engine/shadows.glsl"

layout(local_size_x = 64) in;

void main() {
    uint64_t stride = uint64_t(gl_NumWorkGroups.x) * gl_WorkGroupSize.x;
    for (uint64_t i = gl_GlobalInvocationID.x; i < look.elements; i += stride) {
        if (race_of(i).found) atomicMin(look.dispatch.lowest, i);
    }
}

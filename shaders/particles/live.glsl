// The buffer `<set>_live` of a dynamic particle set: src/particles/live.rs writes the same layout on the host.

#include "engine/device.glsl"
#include "engine/live.glsl"

// Workgroup counts for 2^log2 particles per workgroup, spread over x and y.
void set_live_groups(uint at, uint particles, uint log2) {
    uint groups = (particles >> log2) + uint((particles & ((1u << log2) - 1u)) != 0u);
    uint across = min(groups, MAX_GROUPS);
    set_particles_live(at, across);
    set_particles_live(at + 1u, across == 0u ? 0u : (groups - 1u) / across + 1u);
    set_particles_live(at + 2u, 1u);
}

// All of the buffer, for one invocation to write: it may be another copy than the one that was read.
void set_live(uint count, uint refused, uint born) {
    set_particles_live(LIVE_COUNT, count);
    set_particles_live(LIVE_REFUSED, refused);
    set_particles_live(LIVE_BORN, born);
    for (uint size = 0u; size < LIVE_SIZES; size++) {
        set_live_groups(LIVE_GROUPS + 3u * size, count, LIVE_LEAST_LOG2 + size);
    }
    for (uint size = 0u; size < LIVE_NEWBORN_SIZES; size++) {
        set_live_groups(LIVE_NEWBORN_GROUPS + 3u * size, born, LIVE_LEAST_LOG2 + size);
    }
}

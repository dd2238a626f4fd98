// The buffer `<set>_live` of a dynamic particle set. src/particles/live.rs has the same numbers.

const uint LIVE_REFUSED = 1u;
const uint LIVE_GROUPS = 4u;
const uint LIVE_SIZES = 12u;
const uint LIVE_NEWBORN_GROUPS = 40u;
const uint LIVE_NEWBORN_SIZES = 6u;

// Groups that take 2^log2 particles each, spread over x and y.
void set_live_groups(uint at, uint particles, uint log2) {
    uint groups = (particles >> log2) + uint((particles & ((1u << log2) - 1u)) != 0u);
    uint across = min(groups, 65535u);
    set_particles_live(at, across);
    set_particles_live(at + 1u, across == 0u ? 0u : (groups - 1u) / across + 1u);
    set_particles_live(at + 2u, 1u);
}

// All of the buffer, for one invocation to write: it may be another copy than the one that was read.
void set_live(uint count, uint refused, uint born) {
    set_particles_live(0u, count);
    set_particles_live(LIVE_REFUSED, refused);
    set_particles_live(2u, born);
    for (uint size = 0u; size < LIVE_SIZES; size++) {
        set_live_groups(LIVE_GROUPS + 3u * size, count, 5u + size);
    }
    for (uint size = 0u; size < LIVE_NEWBORN_SIZES; size++) {
        set_live_groups(LIVE_NEWBORN_GROUPS + 3u * size, born, 5u + size);
    }
}

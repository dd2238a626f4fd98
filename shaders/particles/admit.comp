#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// 1: the newborn particles replace the live ones.
layout(constant_id = 0) const uint FRESH = 0u;

// Determines how many particles the next stage adds: the requested number, or fewer if there is not enough room. The
// others are refused and counted.
void stage(uint i) {
#ifdef births_length
    uint asked = births(0u);
#else
    uint asked = arg.births;
#endif
    uint count = FRESH == 1u ? 0u : particles_count, refused = particles_live(LIVE_REFUSED);
    uint born = min(asked, particles_capacity - count);
    uint more = asked - born;
    set_live(count, refused + min(more, 0xffffffffu - refused), born);
}

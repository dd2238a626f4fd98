#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// Decides how many particles the stage that follows adds: as many as asked for, as far as there is room. The others
// are refused, and counted.
void stage(uint i) {
#ifdef births_length
    uint asked = births(0u);
#else
    uint asked = arg.births;
#endif
    uint count = particles_count, refused = particles_live(LIVE_REFUSED);
    uint born = min(asked, particles_capacity - count);
    uint more = asked - born;
    set_live(count, refused + min(more, 0xffffffffu - refused), born);
}

#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// The particles that stay are those that live.
void stage(uint i) {
    set_live(sums(0u), particles_live(LIVE_REFUSED), 0u);
}

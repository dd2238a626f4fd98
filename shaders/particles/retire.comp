#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// The remaining particles become the live ones.
void stage(uint i) {
    set_live(sums(0u), particles_live(LIVE_REFUSED), 0u);
}

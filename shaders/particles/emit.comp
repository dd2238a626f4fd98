#version 460
#include "stage.glsl"
#include "particles/live.glsl"

// Counts the newborn particles among those that live.
void stage(uint i) {
    set_live(sg_count + sg_born, sg_live(LIVE_REFUSED), 0u);
}

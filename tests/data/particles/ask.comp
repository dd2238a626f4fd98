#version 460
#include "stage.glsl"

// Births come in waves, with steps of none.
void stage(uint i) {
    set_asked(0u, clock.step % 4u == 3u ? 0u : arg.births * (1u + clock.step % 3u));
}

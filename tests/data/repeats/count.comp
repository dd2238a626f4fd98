#version 460
#include "stage.glsl"

// Counts its runs. From run arg.enough on there is no going on.
void stage(uint i) {
    uint run = runs(0u) + 1u;
    set_runs(0u, run);
    if (run >= arg.enough) {
        set_going(0u, 0u);
    }
}

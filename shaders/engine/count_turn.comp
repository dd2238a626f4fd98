#version 460
#include "stage.glsl"

// One turn more.
void stage(uint i) {
    set_turns(0u, turns(0u) + 1u);
}

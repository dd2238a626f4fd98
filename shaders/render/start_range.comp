#version 460
#include "stage.glsl"

// Nothing found yet.
void stage(uint i) {
    set_found(0u, 0xffffffffu);
    set_found(1u, 0u);
}

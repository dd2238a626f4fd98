#version 460
#include "stage.glsl"

// One iteration more.
void stage(uint i) {
    set_iterations(0u, iterations(0u) + 1u);
}

#version 460
#pragma reach sparks_name 1
#include "stage.glsl"

// Reads its neighbour, which the last particle has not.
void stage(uint i) {
    set_sparks_age(i, sparks_name(i + 1u));
}

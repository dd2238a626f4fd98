#version 460
#include "stage.glsl"

void stage(uint i) {
    set_sparks_position(i, vec3(0.0, 0.0, clock.time));
}

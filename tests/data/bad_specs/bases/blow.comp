#version 460
#include "stage.glsl"

void stage(ivec3 i) {
    for (int k = 0; k < 3; ++k) set_air_u(i, k, 0.5 * air_u(i, k));
}

#version 460
#include "stage.glsl"

shared float values[64];

void stage(uvec3 group, uint local) {
    values[local] = float(keys(group.x * 64u + local));
    barrier();
    if (local == 0u) {
        float sum = 0.0;
        for (uint k = 0u; k < 64u; k++) {
            sum += values[k];
        }
        set_sums(group.x, sum);
    }
}

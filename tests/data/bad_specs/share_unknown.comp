#version 460
#include "stage.glsl"

#pragma reads grains.key
#pragma writes counters
#pragma shares flakes
#pragma adds counters
#pragma workgroup 64

void stage(uvec3 group, uint local) {
    add_counters(0u, grains_key(group.x));
}

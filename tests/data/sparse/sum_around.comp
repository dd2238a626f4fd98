#version 460
#include "stage.glsl"

#pragma reads g.id
#pragma writes g.sum
#pragma reach g_id 1

// A weighted sum of the 27 cells around, so that two of them cannot change places unnoticed.
void stage(ivec3 cell) {
    uint sum = 0u;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                sum += uint(1 + (x + 1) + 3 * (y + 1) + 9 * (z + 1)) * g_id(cell + ivec3(x, y, z));
    set_g_sum(cell, sum);
}

#version 460
#include "stage.glsl"

#pragma reads g.id
#pragma writes points.sum
#pragma reach g_id 1

uint sum_around(ivec3 cell) {
    uint sum = 0u;
    for (int k = 0; k < 27; k++) {
        sum += uint(k + 1) * g_id(cell + ivec3(k % 3, k / 3 % 3, k / 9) - 1);
    }
    return sum;
}

// One point per cell.
void stage(uint i) {
    int k = int(i);
    ivec3 cell = ivec3(k % g_cells.x, k / g_cells.x % g_cells.y, k / (g_cells.x * g_cells.y));
    uint sum;
    if (g_near(cell)) {
        sum = sum_around(cell);
    } else {
        sum = sum_around(cell);
    }
    set_points_sum(i, sum);
}

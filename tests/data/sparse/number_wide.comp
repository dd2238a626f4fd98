#version 460
#include "stage.glsl"

#pragma vector_width 2

// The number of each cell of a row that belongs to the invocation.
void stage(ivec3 first) {
    for (int k = 0; k < stage_width; k++) {
        ivec3 cell = first + ivec3(k, 0, 0);
        set_g_id(cell, uint((cell.z * g_cells.y + cell.y) * g_cells.x + cell.x) + 1u);
        set_g_visits(cell, g_visits(cell) + uint(stage_width));
    }
}

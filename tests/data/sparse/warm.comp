#version 460
#pragma reach g_hits 1
#include "stage.glsl"

// Every cell that is there gets warmer by what its neighbours say, active or not.
void stage(ivec3 cell) {
    float around = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        ivec3 step = ivec3(0);
        step[axis] = 1;
        uint hits = g_hits(min(cell + step, g_cells - 1)) + g_hits(max(cell - step, ivec3(0)));
        around += hits == 14u ? 1.0 : 0.0;
    }
    set_g_flow(cell, g_flow(cell) + vec3(around, cell.xy));
    set_g_heat(cell, g_heat(cell) + 0.25 * around + 0.001 * float(cell.x));
}

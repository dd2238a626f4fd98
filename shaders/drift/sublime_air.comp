#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/part.glsl"
#include "drift/sublimation.glsl"

#pragma reads grid.suspended
#pragma writes grid.suspended sublimated
#pragma adds sublimated carry
#pragma arguments fall

const uint PURPOSE_SUBLIME_AIR = 46u;

DEFINE_COUNT(count_sublimated, sublimated)

// Suspended snow that sublimates, in whole units: the fraction of a unit is the chance of one more. Air passes its grains at
// the speed of their fall.
void stage(ivec3 cell) {
    uint snow = grid_suspended(cell), element = uint((cell.z * grid_cells.y + cell.y) * grid_cells.x + cell.x);
    float units = float(snow) * min(clock.dt * loss_of_ice(arg.suspended_size, arg.fall), 1.0);
    uint lost = min(uint(units + random4(element, clock.step, PURPOSE_SUBLIME_AIR, clock.seed).x), snow);
    set_grid_suspended(cell, snow - lost);
    count_sublimated(lost);
}

#version 460
#include "stage.glsl"

void stage(ivec3 cell) {
    set_air_heat(cell, float(cell.x + 10 * cell.y + 100 * cell.z) + 1000.0 * float(clock.step));
    set_air_flow(cell, vec3(cell.x, -cell.y, float(cell.z) + 0.5 * float(clock.step)));
    set_air_mark(cell, cell.x - cell.y - cell.z - int(clock.step));
    set_air_id(cell, 4000000000u + uint(cell.x + 9 * (cell.y + 7 * cell.z)) + clock.step);
    set_air_pair(cell, vec2(cell.y, clock.step));
}

#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.solution air.pressure air.open
#pragma writes air.pressure
#pragma reach air_pressure 1 0
#pragma vector_width 2

// One half-sweep of successive over-relaxation on L p = b, over the cells of one colour of the chequerboard
// (arg.color 0 or 1), each of which has neighbours of the other colour only:
//     p <- (1 - omega) p + omega (sum of 6 neighbours - h^2 b) / 6
// with p itself in the place of a neighbour beyond a closed or boundary face: zero gradient there.
// Eidissen 2009 has the right side twice too large and of the other sign; see docs/snow.md.
//
// An invocation has two cells of a row, one of each colour. In a grid with an odd number of cells in x it has one.
void stage(ivec3 cell) {
    int other = (cell.x + cell.y + cell.z + int(arg.color)) & 1;
    if (other >= stage_width) {
        return;
    }
    cell.x += other;
    if (any(equal(cell, ivec3(0))) || any(equal(cell, air_cells - 1))) {
        return;
    }
    // Everything is loaded before anything is asked, so that the loads overlap.
    const ivec3 x = ivec3(1, 0, 0), y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    uint open = air_open(cell);
    float p = air_pressure(cell), b = air_solution(cell);
    float west = air_pressure(cell - x), east = air_pressure(cell + x);
    float south = air_pressure(cell - y), north = air_pressure(cell + y);
    float below = air_pressure(cell - z), above = air_pressure(cell + z);
    if ((open & FLUID) == 0u) {
        return;
    }
    west = (open & OPEN_WEST) != 0u ? west : p;
    east = (open & OPEN_EAST) != 0u ? east : p;
    south = (open & OPEN_SOUTH) != 0u ? south : p;
    north = (open & OPEN_NORTH) != 0u ? north : p;
    below = (open & OPEN_BELOW) != 0u ? below : p;
    above = (open & OPEN_ABOVE) != 0u ? above : p;
    float sum = west + east + (south + north) + (below + above);
    float relaxed = (sum - air_dx * air_dx * b) / 6.0;
    set_air_pressure(cell, (1.0 - arg.omega) * p + arg.omega * relaxed);
}

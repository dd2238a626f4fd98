#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// One half-sweep of successive over-relaxation on L p = b, over the cells of one colour of the chequerboard
// (arg.color 0 or 1), each of which has neighbours of the other colour only:
//     p <- (1 - omega) p + omega (sum of 6 neighbours - h^2 b) / 6
// with p itself in the place of a neighbour beyond a closed or boundary face: zero gradient there.
// Eidissen 2009 has the right side twice too large and of the other sign; see docs/snow.md.
void stage(ivec3 cell) {
    if (!interior(cell) || ((cell.x + cell.y + cell.z) & 1) != int(arg.color)) {
        return;
    }
    uint bits = air_obstacle(cell);
    if (solid(bits)) {
        return;
    }
    uint open = open_neighbours(cell, bits);
    float p = air_pressure(cell);
    float west = (open & 1u) != 0u ? air_pressure(cell - ivec3(1, 0, 0)) : p;
    float east = (open & 2u) != 0u ? air_pressure(cell + ivec3(1, 0, 0)) : p;
    float south = (open & 4u) != 0u ? air_pressure(cell - ivec3(0, 1, 0)) : p;
    float north = (open & 8u) != 0u ? air_pressure(cell + ivec3(0, 1, 0)) : p;
    float below = (open & 16u) != 0u ? air_pressure(cell - ivec3(0, 0, 1)) : p;
    float above = (open & 32u) != 0u ? air_pressure(cell + ivec3(0, 0, 1)) : p;
    float sum = west + east + (south + north) + (below + above);
    float relaxed = (sum - air_dx * air_dx * air_solution(cell)) / 6.0;
    set_air_pressure(cell, (1.0 - arg.omega) * p + arg.omega * relaxed);
}

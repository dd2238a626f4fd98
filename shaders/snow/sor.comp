#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

// One half-sweep of successive over-relaxation on L p = b, over the cells of one colour of the chequerboard
// (arg.color 0 or 1), each of which has neighbours of the other colour only:
//     p <- (1 - omega) p + omega (sum of 6 neighbours - h^2 b) / 6
// with p itself in the place of a neighbour beyond a closed or boundary face: zero gradient there.
// Eidissen 2009 has the right side twice too large and of the other sign; see docs/snow.md.
void stage(ivec3 cell) {
    if (((cell.x + cell.y + cell.z) & 1) != int(arg.color)) {
        return;
    }
    uint faces = air_faces(cell);
    if (!fluid(faces)) {
        return;
    }
    float p = air_pressure(cell);
    float west = (faces & OPEN_WEST) != 0u ? air_pressure(cell - ivec3(1, 0, 0)) : p;
    float east = (faces & OPEN_EAST) != 0u ? air_pressure(cell + ivec3(1, 0, 0)) : p;
    float south = (faces & OPEN_SOUTH) != 0u ? air_pressure(cell - ivec3(0, 1, 0)) : p;
    float north = (faces & OPEN_NORTH) != 0u ? air_pressure(cell + ivec3(0, 1, 0)) : p;
    float below = (faces & OPEN_BELOW) != 0u ? air_pressure(cell - ivec3(0, 0, 1)) : p;
    float above = (faces & OPEN_ABOVE) != 0u ? air_pressure(cell + ivec3(0, 0, 1)) : p;
    float sum = west + east + (south + north) + (below + above);
    float relaxed = (sum - air_dx * air_dx * air_solution(cell)) / 6.0;
    set_air_pressure(cell, (1.0 - arg.omega) * p + arg.omega * relaxed);
}

#version 460
#include "stage.glsl"
#include "lib/processor.glsl"
#include "lib/rows.glsl"
#include "snow/faces.glsl"

#pragma reads air.solution air.pressure air.open
#pragma writes air.pressure
#pragma reach air_pressure 1 0
#pragma vector_width 4

DEFINE_ROW(open_row, uvec4, air_open)
DEFINE_ROW(pressure_row, vec4, air_pressure)

// The pressures of the neighbours of a cell in other rows.
struct Across {
    float south, north, below, above;
};

Across across(ivec3 cell) {
    const ivec3 y = ivec3(0, 1, 0), z = ivec3(0, 0, 1);
    return Across(air_pressure(cell - y), air_pressure(cell + y), air_pressure(cell - z), air_pressure(cell + z));
}

// The pressure of a cell after its update. A neighbour behind a closed or boundary face counts as the cell itself: zero
// gradient there.
float relaxed(uint open, float p, float b, float west, float east, Across at) {
    west = (open & OPEN_WEST) != 0u ? west : p;
    east = (open & OPEN_EAST) != 0u ? east : p;
    at.south = (open & OPEN_SOUTH) != 0u ? at.south : p;
    at.north = (open & OPEN_NORTH) != 0u ? at.north : p;
    at.below = (open & OPEN_BELOW) != 0u ? at.below : p;
    at.above = (open & OPEN_ABOVE) != 0u ? at.above : p;
    float sum = west + east + (at.south + at.north) + (at.below + at.above);
    return (1.0 - arg.omega) * p + arg.omega * ((sum - air_dx * air_dx * b) / 6.0);
}

// One half-sweep of successive over-relaxation on L p = b, over the cells of one colour of the chequerboard
// (arg.color 0 or 1), each of which has neighbours of the other colour only:
//     p <- (1 - omega) p + omega (sum of 6 neighbours - h^2 b) / 6
// Eidissen 2009 has the right side twice too large and of the other sign; see docs/snow.md.
//
// An invocation has four cells of a row, two of each colour, or one cell if the grid has no whole rows.
void stage(ivec3 first) {
    int skipped = (first.x + first.y + first.z + int(arg.color)) & 1;
    bool odd = skipped != 0;
    bool single = stage_width == 1;
    if (any(equal(first.yz, ivec2(0))) || any(equal(first.yz, air_cells.yz - 1)) || single && odd) {
        return;
    }
    ivec3 low = first + ivec3(skipped, 0, 0), high = single ? low : low + ivec3(2, 0, 0);
    ivec3 west = ivec3(max(low.x - 1, 0), first.yz), east = ivec3(min(high.x + 1, air_cells.x - 1), first.yz);
    // Everything is loaded before anything is asked or stored, so that the loads overlap; on processors only where cells have
    // a pressure. The row is one load; beside it one of the two cells needs another one.
    uvec4 open = open_row(first);
    uint low_open = odd ? open.y : open.x, high_open = odd ? open.w : open.z;
    if (ON_PROCESSOR && ((low_open | high_open) & FLUID) == 0u) {
        return;
    }
    vec4 p = pressure_row(first);
    float low_b = air_solution(low), high_b = air_solution(high);
    float beside = air_pressure(odd ? east : west);
    float between = single ? air_pressure(east) : odd ? p.z : p.y;
    Across low_across = across(low), high_across = across(high);

    float low_p = relaxed(low_open, odd ? p.y : p.x, low_b, odd ? p.x : beside, between, low_across);
    float high_p = relaxed(high_open, odd ? p.w : p.z, high_b, between, odd ? beside : p.w, high_across);
    if ((low_open & FLUID) != 0u) {
        set_air_pressure(low, low_p);
    }
    if (!single && (high_open & FLUID) != 0u) {
        set_air_pressure(high, high_p);
    }
}

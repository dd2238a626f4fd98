// Types of the domain's sides along each axis: arg.low and arg.high. A closed side is a wall whose velocity is stored in
// the outermost faces, an open one has air of pressure 0 beyond, and a periodic one meets the opposite side.
#ifndef PRESSURE_SIDES
#define PRESSURE_SIDES

#pragma arguments sides
#pragma argument ivec3 low
#pragma argument ivec3 high

const int CLOSED_SIDE = 0;
const int OPEN_SIDE = 1;
const int PERIODIC_SIDE = 2;

// 1 for axes along which the domain is periodic.
ivec3 periodic_axes() {
    return ivec3(equal(arg.low, ivec3(PERIODIC_SIDE)));
}

#endif

// What fills a cell: the values of `cell_type`.
#ifndef PRESSURE_CELL_TYPES
#define PRESSURE_CELL_TYPES

const uint FLUID_CELL = 0u;
const uint AIR_CELL = 1u;
const uint SOLID_CELL = 2u;

// What a side of the domain is: a wall whose velocity stands in the outermost faces, air of pressure 0, or the
// opposite side.
const int CLOSED_SIDE = 0;
const int OPEN_SIDE = 1;
const int PERIODIC_SIDE = 2;

#endif

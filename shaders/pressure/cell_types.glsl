// The values of `cell_type`.
#ifndef PRESSURE_CELL_TYPES
#define PRESSURE_CELL_TYPES

const uint FLUID_CELL = 0u;
const uint AIR_CELL = 1u;
const uint SOLID_CELL = 2u;

#endif

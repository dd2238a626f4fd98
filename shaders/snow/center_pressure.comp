#version 460
#include "stage.glsl"
#include "lib/rows.glsl"
#include "snow/faces.glsl"

#pragma reads air.open air.pressure total_pressure fluid_cells
#pragma writes air.pressure
#pragma vector_width 4

DEFINE_ROW(open_row, uvec4, air_open)
DEFINE_ROW(pressure_row, vec4, air_pressure)
DEFINE_SET_ROW(set_pressure_row, vec4, air_pressure)

// Subtracts the mean from the pressure. Only differences of pressure have an effect. Sweeps of SOR do not change a constant
// that all pressures contain, but if it drifted for many steps, differences would lose digits.
void stage(ivec3 cell) {
    vec4 p = pressure_row(cell) - mean_pressure(total_pressure(0u), fluid_cells(0u));
    set_pressure_row(cell, mix(vec4(0.0), p, notEqual(open_row(cell) & FLUID, uvec4(0u))));
}

#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/cell_types.glsl"

// The distance from the surface (m), negative in fluid, says where between the centres of a cell of fluid and one of air the
// pressure is 0: at the part t = d_fluid / (d_fluid - d_air) of the way, so the coefficient of the face is 1 / t (Gibou, Fedkiw,
// Cheng & Kang 2002, "A second-order-accurate symmetric discretization of the Poisson equation on irregular domains", equation
// 19), with t at least 1/16.
uint open_part(ivec3 cell, ivec3 beside, int face) {
    float own = grid_distance(AT(cell)), other = grid_distance(AT(beside));
    bool fluid = grid_cell_type(AT(cell)) == FLUID_CELL;
    if (fluid == (grid_cell_type(AT(beside)) == FLUID_CELL)) {
        return WHOLE;
    }
    float wet = max(-(fluid ? own : other), 0.0), dry = max(fluid ? other : own, 0.0);
    return wet + dry > 0.0 ? bits_of((wet + dry) / max(wet, (wet + dry) / 16.0)) : WHOLE;
}

#include "pressure/build_faces.glsl"

// The coefficients of a cell's faces where the density varies (two fluids): the open part times the reference density over the
// density of the face, which is the mean over its two cells. `grid.rho` has the density of each cell over the reference one,
// as the bits of a float, and 0 in cells that are not fluid: those do not count.
#ifndef PRESSURE_COEFFICIENTS
#define PRESSURE_COEFFICIENTS

#include "pressure/stencil.glsl"

// Whether the density varies. If not, stages bind `grid.rho` to `grid.faces` and do not read it, so it takes no memory. All stages
// of a solver have the same value.
layout(constant_id = 2) const int VARIABLE = 0;

// The reference density over that of a face between two cells, of which one is fluid.
float over_density(float own, float other) {
    return (float(own > 0.0) + float(other > 0.0)) / max(own + other, 1e-30);
}

// Defines Parts NAME(uint word, ivec3 cell, ivec3 size), where RHO(ivec3) gives the bits of the density of a cell.
#define DEFINE_COEFFICIENTS(NAME, RHO) \
    float NAME##_beside(float own, ivec3 cell) { \
        return over_density(own, uintBitsToFloat(RHO(cell))); \
    } \
    Parts NAME(uint word, ivec3 cell, ivec3 size) { \
        Parts c = parts_of(word); \
        if (VARIABLE != 0) { \
            Around at = around(cell, size); \
            float own = uintBitsToFloat(RHO(cell)); \
            c.west *= NAME##_beside(own, at.west); \
            c.east *= NAME##_beside(own, at.east); \
            c.south *= NAME##_beside(own, at.south); \
            c.north *= NAME##_beside(own, at.north); \
            c.below *= NAME##_beside(own, at.below); \
            c.above *= NAME##_beside(own, at.above); \
        } \
        return c; \
    }

uint rho_at(ivec3 cell) {
    return grid_rho(AT(cell));
}

DEFINE_COEFFICIENTS(coefficients, rho_at)

#endif

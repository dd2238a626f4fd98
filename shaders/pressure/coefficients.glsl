// The coefficients of a cell's faces where the density varies (two fluids): the open part times the reference density over the
// density of the face, which is the mean over its two cells. `grid.relative_density` has the density of each cell over the
// reference one, as the bits of a float, and 0 in cells that are not fluid, which do not count. A grid without it has one density.
#ifndef PRESSURE_COEFFICIENTS
#define PRESSURE_COEFFICIENTS

#include "pressure/stencil.glsl"

#pragma reach grid_relative_density 1

#if HAS_grid_relative_density
// Reference density divided by the density of a face between two cells, at least one of them fluid.
float over_density(float own, float other) {
    return (float(own > 0.0) + float(other > 0.0)) / max(own + other, 1e-30);
}

// Defines Parts NAME(uint word, ivec3 cell, ivec3 size), where DENSITY(ivec3) gives the bits of the density of a cell.
#define DEFINE_COEFFICIENTS(NAME, DENSITY) \
    float NAME##_beside(float own, ivec3 cell) { \
        return over_density(own, uintBitsToFloat(DENSITY(cell))); \
    } \
    Parts NAME(uint word, ivec3 cell, ivec3 size) { \
        Parts c = parts_of(word); \
        Around at = around(cell, size); \
        float own = uintBitsToFloat(DENSITY(cell)); \
        c.west *= NAME##_beside(own, at.west); \
        c.east *= NAME##_beside(own, at.east); \
        c.south *= NAME##_beside(own, at.south); \
        c.north *= NAME##_beside(own, at.north); \
        c.below *= NAME##_beside(own, at.below); \
        c.above *= NAME##_beside(own, at.above); \
        return c; \
    }

uint density_at(ivec3 cell) {
    return grid_relative_density(AT(cell));
}
#else
#define DEFINE_COEFFICIENTS(NAME, DENSITY) \
    Parts NAME(uint word, ivec3 cell, ivec3 size) { \
        return parts_of(word); \
    }
#endif

DEFINE_COEFFICIENTS(coefficients, density_at)

#endif

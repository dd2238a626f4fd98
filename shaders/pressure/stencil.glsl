// The pressure equation of a cell, A x = b, with (A x)_i = sum over its faces of c (x_i - x_n): c is the open part of
// the face, x_n the value behind it. Solid has closed faces; air has the value 0, and so has the air beyond an open
// side of the domain. So A is -h^2 times Laplace's operator, symmetric and positive (semi)definite.
//
// The sum is taken over differences, never as diagonal times x_i minus the rest: the flux out of a cell equals the flux
// into its neighbour to the last bit, so the sum of A x over a closed region is 0 but for the rounding of a few differences.
#ifndef PRESSURE_STENCIL
#define PRESSURE_STENCIL

#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/sides.glsl"

// The neighbours of a cell. Beyond a side of the domain, the neighbour is the cell itself, or, if the domain is periodic
// along this axis, the cell at the other side.
struct Around {
    ivec3 west, east, south, north, below, above;
};

int lower(int i, int size, int periodic) {
    return i > 0 ? i - 1 : periodic != 0 ? size - 1 : 0;
}

int upper(int i, int size, int periodic) {
    return i + 1 < size ? i + 1 : periodic != 0 ? 0 : i;
}

Around around(ivec3 cell, ivec3 size) {
    ivec3 periodic = periodic_axes();
    ivec3 low = ivec3(lower(cell.x, size.x, periodic.x), lower(cell.y, size.y, periodic.y), lower(cell.z, size.z, periodic.z));
    ivec3 high = ivec3(upper(cell.x, size.x, periodic.x), upper(cell.y, size.y, periodic.y), upper(cell.z, size.z, periodic.z));
    return Around(ivec3(low.x, cell.yz), ivec3(high.x, cell.yz), ivec3(cell.x, low.y, cell.z), ivec3(cell.x, high.y, cell.z),
                  ivec3(cell.xy, low.z), ivec3(cell.xy, high.z));
}

// The faces of a cell that are on open sides of the domain: x at the lower, y at the upper end of each axis.
mat3x2 open_sides(ivec3 cell, ivec3 size, Parts c) {
    ivec3 shift = size * periodic_axes();
    bvec3 low = equal(cell + shift, ivec3(0)), high = equal(cell - shift, size - 1);
    return mat3x2(low.x ? c.west : 0.0, high.x ? c.east : 0.0, low.y ? c.south : 0.0, high.y ? c.north : 0.0,
                  low.z ? c.below : 0.0, high.z ? c.above : 0.0);
}

// The flux out of a cell with the value `own` through the open sides of the domain.
float through_open_sides(uint word, ivec3 cell, ivec3 size, Parts c, float own) {
    if ((word & AT_OPEN_SIDE) == 0u) {
        return 0.0;
    }
    mat3x2 open = open_sides(cell, size, c);
    return (open[0].x + open[0].y + (open[1].x + open[1].y) + (open[2].x + open[2].y)) * own;
}

// The values around a cell.
struct Ring {
    float west, east, south, north, below, above;
};

// A x of a cell with the value `own`, without its open sides.
float flux(Parts c, Ring x, float own) {
    return c.west * (own - x.west) + c.east * (own - x.east) + (c.south * (own - x.south) + c.north * (own - x.north))
         + (c.below * (own - x.below) + c.above * (own - x.above));
}

// Defines float NAME(uint word, ivec3 cell, ivec3 size, Parts c, float own): A x of a cell with the value `own`, where
// VALUE(ivec3) gives the values around it.
#define DEFINE_FLUX(NAME, VALUE) \
    float NAME(uint word, ivec3 cell, ivec3 size, Parts c, float own) { \
        Around at = around(cell, size); \
        Ring x = Ring(VALUE(at.west), VALUE(at.east), VALUE(at.south), VALUE(at.north), VALUE(at.below), VALUE(at.above)); \
        return flux(c, x, own) + through_open_sides(word, cell, size, c, own); \
    }

#endif

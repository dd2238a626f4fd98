// The pressure equation of a cell, A x = b, with (A x)_i = sum over its faces of c (x_i - x_n): c is the open part of
// the face, x_n the value behind it. Solid has closed faces; air has the value 0, and so has the air beyond an open
// side of the domain. So A is -h^2 times Laplace's operator, symmetric and positive (semi)definite.
//
// The sum is taken over differences, never as diagonal times x_i minus the rest: what leaves a cell enters its
// neighbour to the last bit, so the sum of A x over a closed region is 0 but for the rounding of a few differences.
#ifndef PRESSURE_STENCIL
#define PRESSURE_STENCIL

#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"

// The neighbours of a cell. In the place of one beyond a side of the domain stands the cell itself, or, if the domain
// is periodic along this axis, the cell at the other side.
struct Around {
    ivec3 west, east, south, north, below, above;
};

// The open parts of the faces; `open` adds up those on open sides of the domain.
struct Parts {
    float west, east, south, north, below, above, open;
};

int lower(int i, int size, int periodic) {
    return i > 0 ? i - 1 : periodic != 0 ? size - 1 : 0;
}

int upper(int i, int size, int periodic) {
    return i + 1 < size ? i + 1 : periodic != 0 ? 0 : i;
}

Around around(ivec3 cell, ivec3 size) {
    ivec3 low = ivec3(lower(cell.x, size.x, arg.periodic.x), lower(cell.y, size.y, arg.periodic.y),
                      lower(cell.z, size.z, arg.periodic.z));
    ivec3 high = ivec3(upper(cell.x, size.x, arg.periodic.x), upper(cell.y, size.y, arg.periodic.y),
                       upper(cell.z, size.z, arg.periodic.z));
    return Around(ivec3(low.x, cell.yz), ivec3(high.x, cell.yz), ivec3(cell.x, low.y, cell.z), ivec3(cell.x, high.y, cell.z),
                  ivec3(cell.xy, low.z), ivec3(cell.xy, high.z));
}

// Defines Parts NAME(ivec3 cell, Around at, uint word, uint above), from the words of the cell and of the one above it; FACES
// reads the others of a grid of CELLS cells. OPEN is the open part of a face on an open side: 1 in the finest level, and more
// in coarser ones, whose centres are farther from the border while the air beyond it stays where it is.
#define DEFINE_PARTS(NAME, FACES, CELLS, OPEN) \
    Parts NAME(ivec3 cell, Around at, uint word, uint above) { \
        bvec3 inside = lessThan(cell, space_size(CELLS) - 1 + arg.periodic); \
        uint east = FACES(in_lattice(at.east, CELLS)), north = FACES(in_lattice(at.north, CELLS)); \
        return Parts(low_x(word), inside.x ? low_x(east) : 0.0, low_y(word), inside.y ? low_y(north) : 0.0, low_z(word), \
                     inside.z ? low_z(above) : 0.0, OPEN * open_sides(word)); \
    } \
    Parts NAME(ivec3 cell, Around at, uint word) { \
        return NAME(cell, at, word, FACES(in_lattice(at.above, CELLS))); \
    }

float diagonal(Parts c) {
    return c.west + c.east + (c.south + c.north) + (c.below + c.above) + c.open;
}

// Defines float NAME(Around at, Parts c, float below, float own, float above): A x of a cell with the value `own` between those
// below and above; VALUE(ivec3) gives the other four.
#define DEFINE_FLUX(NAME, VALUE) \
    float NAME(Around at, Parts c, float below, float own, float above) { \
        float west = VALUE(at.west), east = VALUE(at.east), south = VALUE(at.south), north = VALUE(at.north); \
        return c.west * (own - west) + c.east * (own - east) + (c.south * (own - south) + c.north * (own - north)) \
             + (c.below * (own - below) + c.above * (own - above)) + c.open * own; \
    } \
    float NAME(Around at, Parts c, float own) { \
        return NAME(at, c, VALUE(at.below), own, VALUE(at.above)); \
    }

#endif

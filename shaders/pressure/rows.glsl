// Stages process up to four cells of a row at a time: their values are the first `stage_width` components of a
// vector, and one access of memory takes them all. Columns become shorter by as much, so that tiles have as many cells.
#ifndef PRESSURE_ROWS
#define PRESSURE_ROWS

#include "pressure/stencil.glsl"
#include "lib/rows.glsl"

#pragma vector_width 4

// The neighbours of the cells of a row, of which only the first and the last have others along x.
Around around_row(ivec3 cell, ivec3 size) {
    Around at = around(cell, size);
    at.east = around(cell + ivec3(stage_width - 1, 0, 0), size).east;
    return at;
}

// The values round the cells of a row.
struct Rows {
    float west, east;
    vec4 south, north, below, above;
};

// The neighbours of cell number I of the row; `OWN` are the values of the row.
#define RING_IN_ROW(X, OWN, I) \
    Ring(I == 0 ? X.west : OWN[(I + 3) % 4], I == 3 || stage_width == 1 ? X.east : OWN[(I + 1) % 4], \
         X.south[I], X.north[I], X.below[I], X.above[I])

// DO(I) for each cell of a row. Loops would be shorter, but vectors with variable indices are slow on GPUs.
#define EACH_IN_ROW(DO) \
    DO(0) \
    if (stage_width > 1) { \
        DO(1) \
        DO(2) \
        DO(3) \
    }

#endif

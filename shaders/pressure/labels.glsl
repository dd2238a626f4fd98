// A cell as a label: 1 + its number, x fastest.
#ifndef PRESSURE_LABELS
#define PRESSURE_LABELS

#include "pressure/lattice.glsl"

// Longest piece of a row that begins as one region, cells.
const int PIECE = 8;

uint label_of(ivec3 cell) {
    ivec3 size = space_size(grid_cells);
    return 1u + uint(cell.x) + uint(size.x) * (uint(cell.y) + uint(size.y) * uint(cell.z));
}

ivec3 cell_of(uint label) {
    uvec3 size = uvec3(space_size(grid_cells));
    uint row = (label - 1u) / size.x;
    return ivec3(int(label - 1u - row * size.x), int(row % size.y), int(row / size.y));
}

#endif

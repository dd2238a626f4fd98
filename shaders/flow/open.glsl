// The faces of a MAC grid that belong to the flow. The stage reads grid.faces; arg.low and arg.high are the types of the
// domain's sides (pressure/sides.glsl).
#include "pressure/lattice.glsl"
#include "pressure/faces.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reach grid_faces 1

ivec3 unit(int axis) {
    return ivec3(axis == 0, axis == 1, axis == 2);
}

bool periodic(int axis) {
    return arg.low[axis] == PERIODIC_SIDE;
}

// The word of a cell; beyond a side the word of the nearest cell, or of the periodic image.
uint word_at(ivec3 cell) {
    ivec3 size = space_size(grid_cells);
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = periodic(axis) ? (cell[axis] + size[axis]) % size[axis] : clamp(cell[axis], 0, size[axis] - 1);
    }
    return grid_faces(AT(cell));
}

bool is_solid(uint word) {
    return !is_fluid(word) && !is_air(word);
}

// True if a face belongs to the flow: it is open, and fluid touches it. Other faces keep their velocity.
bool moves(ivec3 face, int axis) {
    uint low = word_at(face - unit(axis)), high = word_at(face);
    int last = space_size(grid_cells)[axis];
    if (!periodic(axis) && (face[axis] == 0 || face[axis] == last)) {
        return is_fluid(high) && (face[axis] == 0 ? arg.low : arg.high)[axis] == OPEN_SIDE;
    }
    return part_of(high, 2 * axis) != 0u && (is_fluid(low) || is_fluid(high));
}

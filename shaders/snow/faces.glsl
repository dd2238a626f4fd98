// The wind's MAC grid (Harlow & Welch 1965): u, v, w of cell c lie on its lower x, y, z faces, pressure at
// its centre. Include after stage.glsl; needs `air` and, where faces are asked for, a read of air.obstacle.
//
// The outermost layer of cells is outside the simulated air. A face between two interior cells is an inner
// face, one between an interior and an outside cell a boundary face, every other one an outside face. A face
// that touches a solid cell is closed, whatever else it is.

// Bits of air.obstacle: (dx+1) + 3 (dy+1) + 9 (dz+1) for the neighbour at (dx, dy, dz).
const uint SOLID = 1u << 13;
const uint SOLID_WEST = 1u << 12, SOLID_EAST = 1u << 14;    // -x, +x
const uint SOLID_SOUTH = 1u << 10, SOLID_NORTH = 1u << 16;  // -y, +y
const uint SOLID_BELOW = 1u << 4, SOLID_ABOVE = 1u << 22;   // -z, +z

const uint CLOSED_U = SOLID | SOLID_WEST;
const uint CLOSED_V = SOLID | SOLID_SOUTH;
const uint CLOSED_W = SOLID | SOLID_BELOW;

bool interior(ivec3 cell) {
    return all(greaterThan(cell, ivec3(0))) && all(lessThan(cell, air_cells - 1));
}

bool solid(uint bits) {
    return (bits & SOLID) != 0u;
}

// The neighbours that share an open inner face with an interior fluid cell, as bits -x +x -y +y -z +z.
uint open_neighbours(ivec3 cell, uint bits) {
    ivec3 last = air_cells - 2;
    uint open = 0u;
    open |= (bits & SOLID_WEST) == 0u && cell.x > 1 ? 1u : 0u;
    open |= (bits & SOLID_EAST) == 0u && cell.x < last.x ? 2u : 0u;
    open |= (bits & SOLID_SOUTH) == 0u && cell.y > 1 ? 4u : 0u;
    open |= (bits & SOLID_NORTH) == 0u && cell.y < last.y ? 8u : 0u;
    open |= (bits & SOLID_BELOW) == 0u && cell.z > 1 ? 16u : 0u;
    open |= (bits & SOLID_ABOVE) == 0u && cell.z < last.z ? 32u : 0u;
    return open;
}

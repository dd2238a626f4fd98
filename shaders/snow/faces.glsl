// The wind's MAC grid (Harlow & Welch 1965): u, v, w of cell c are on its lower x, y, z faces, pressure at
// its centre. Include after stage.glsl in a stage that touches `air`.
//
// A cell is inside the simulated air when it is not in the outermost layer of the domain and all 27 cells
// around it are active. A face between two inside cells is an inner face, one between an inside and another
// cell a boundary face, every other one an outside face. A face that touches a solid cell is closed, whatever
// else it is.

// Bits of air.faces, which build_faces writes: all properties of a cell and its faces, in one load.
const uint INSIDE = 1u << 0;
// Neighbours behind an open inner face, from bit 1 on: -x +x -y +y -z +z.
const uint OPEN_WEST = 1u << 1, OPEN_EAST = 1u << 2;
const uint OPEN_SOUTH = 1u << 3, OPEN_NORTH = 1u << 4;
const uint OPEN_BELOW = 1u << 5, OPEN_ABOVE = 1u << 6;
// The lower faces that touch a solid cell.
const uint CLOSED_U = 1u << 7, CLOSED_V = 1u << 8, CLOSED_W = 1u << 9;
// The neighbours at -x, -y, -z that are inside.
const uint INSIDE_WEST = 1u << 10, INSIDE_SOUTH = 1u << 11, INSIDE_BELOW = 1u << 12;
const uint SOLID = 1u << 13;
// No stage has seen the cell yet: the channel's background.
const uint FRESH = 1u << 14;

// An inside cell that is not solid: it has a pressure.
bool fluid(uint faces) {
    return (faces & (INSIDE | SOLID)) == INSIDE;
}

// Bits of air.open, a byte that the pressure solver reads in each half-sweep: FLUID, and the bits of the open neighbours, for
// a cell with a pressure; 0 for all others.
const uint FLUID = INSIDE;
uint open_neighbours(uint faces) {
    return fluid(faces) ? faces & (FLUID | OPEN_WEST | OPEN_EAST | OPEN_SOUTH | OPEN_NORTH | OPEN_BELOW | OPEN_ABOVE) : 0u;
}

// The sign of the outward normal of a lower face along x or y: 1 or -1 on an open boundary face, else 0.
float outward_u(uint faces) {
    uint cells = faces & (INSIDE | INSIDE_WEST | CLOSED_U);
    return cells == INSIDE_WEST ? 1.0 : (cells == INSIDE ? -1.0 : 0.0);
}

float outward_v(uint faces) {
    uint cells = faces & (INSIDE | INSIDE_SOUTH | CLOSED_V);
    return cells == INSIDE_SOUTH ? 1.0 : (cells == INSIDE ? -1.0 : 0.0);
}

// Cells that are not fluid hold pressure 0, so the sum over all cells is the sum over fluid ones.
float mean_pressure(float total, uint fluid_cells) {
    return total / float(max(fluid_cells, 1u));
}

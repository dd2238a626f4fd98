// Types of cells: the lowest three bits of `cell_type`. The bits above are marks.
#ifndef LBM_CELLS
#define LBM_CELLS
#include "pressure/lattice.glsl"

const uint FLUID_CELL = 0u;    // sides: periodic
const uint GAS_CELL = 1u;      // nothing flows here: the gas of a free surface
const uint WALL_CELL = 2u;     // a wall at rest
const uint MOVING_CELL = 3u;   // a wall that moves with the velocity `u` of its cell, and whose force is measured
const uint INFLOW_CELL = 4u;   // fluid whose velocity `u` is given
const uint OUTFLOW_CELL = 5u;  // fluid whose density `rho` is given
const uint FAR_CELL = 6u;      // fluid of which both are given
const uint LEFT_CELL = 7u;     // a body has just left it; mark.comp makes it fluid
const uint TYPE = 7u;

// Marks of a free surface (surface.glsl).
const uint INTERFACE = 8u;     // a fluid cell through which the surface passes
const uint FILLS = 16u;
const uint EMPTIES = 32u;
// A wall or a boundary that keeps the temperature `heat` of its cell.
const uint HELD_HEAT = 64u;
// Set by mark.comp: one of the neighbours is a wall.
const uint BESIDE_WALL = 128u;

// The type of a cell, in stages that read `cell_type`.
#define type_at(CELL) (grid_cell_type(AT(CELL)) & TYPE)

bool is_wall(uint type) {
    return (type & 6u) == WALL_CELL;
}

// Gas or a wall: no populations come together here.
bool is_idle(uint type) {
    return type - 1u < 3u;
}

bool is_interface(uint word) {
    return (word & INTERFACE) != 0u;
}

// True if a mass waits in this cell of a free surface.
bool gives(uint word) {
    return !is_interface(word) && (word & (FILLS | EMPTIES)) != 0u;
}

// The cell and its neighbours along each axis; beyond a side, they wrap around to the opposite one.
struct Around {
    ivec3 low, cell, high;
};

Around around(ivec3 cell) {
    ivec3 last = space_size(grid_cells) - 1;
    return Around(mix(cell - 1, last, equal(cell, ivec3(0))), cell, mix(cell + 1, ivec3(0), equal(cell, last)));
}

// The cell that is (x, y, z) farther, each -1, 0 or 1.
ivec3 beside(Around at, int x, int y, int z) {
    return ivec3(x < 0 ? at.low.x : x > 0 ? at.high.x : at.cell.x, y < 0 ? at.low.y : y > 0 ? at.high.y : at.cell.y,
                 z < 0 ? at.low.z : z > 0 ? at.high.z : at.cell.z);
}

// The direction out of the domain at a boundary: away from the first neighbour along an axis that is fluid.
#define OUTWARD(AROUND) \
    (type_at(beside(AROUND, -1, 0, 0)) == FLUID_CELL ? vec3(1, 0, 0) : type_at(beside(AROUND, 1, 0, 0)) == FLUID_CELL ? vec3(-1, 0, 0) : \
     type_at(beside(AROUND, 0, -1, 0)) == FLUID_CELL ? vec3(0, 1, 0) : type_at(beside(AROUND, 0, 1, 0)) == FLUID_CELL ? vec3(0, -1, 0) : \
     type_at(beside(AROUND, 0, 0, -1)) == FLUID_CELL ? vec3(0, 0, 1) : vec3(0, 0, -1))

vec3 vector_in_space(vec2 v) {
    return vec3(v, 0.0);
}

vec3 vector_in_space(vec3 v) {
    return v;
}

// The inverse, for the cells of a grid of two or three axes.
vec2 to_plane(vec3 v, ivec2 cells) {
    return v.xy;
}

vec3 to_plane(vec3 v, ivec3 cells) {
    return v;
}

#endif
